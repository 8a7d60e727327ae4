// The folder of a process: what others left is removed, and what cannot be removed keeps nobody from starting.
import assert from 'node:assert/strict'
import { chmod, lstat, mkdir, mkdtemp, readdir, realpath, utimes, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { proves } from '../../../test/kit/proves.ts'
import { withoutRights } from '../../../test/kit/withoutRights.ts'
import { isRoot } from '../../base/accounts.ts'
import { newId } from '../../base/ids.ts'
import { createLog } from '../../base/log.ts'
import { removeTree } from '../../base/removeTree.ts'
import { makeProcessFolder, type ProcessFolder } from './processFolder.ts'

const here = hostname().replaceAll(/[^\w.-]/g, '_')
// no process has this id: it is larger than any that Linux gives
const nobody = 2 ** 22 + 1

async function place(): Promise<{
  dataDir: string
  all: string
  lines: string[]
  make: (dataDir: string) => Promise<ProcessFolder>
}> {
  const dataDir = await mkdtemp(join(await realpath(tmpdir()), 'runyard-test-'))
  const all = join(dataDir, 'sandboxes')
  await mkdir(all)
  const lines: string[] = []
  const log = createLog('info', { write: (line: string) => lines.push(line) })
  return { dataDir, all, lines, make: (folder) => makeProcessFolder(folder, log) }
}

proves('sandbox.closed', 'what a killed process left is removed, also where a command closed a folder', () =>
  withoutRights(async () => {
    const { dataDir, all, lines, make } = await place()
    const closed = join(all, `${here}+${nobody}+${newId()}/sandbox/d`)
    await mkdir(closed, { recursive: true })
    await writeFile(join(closed, 'x'), '')
    await chmod(closed, 0o555)
    const folder = await make(dataDir)
    assert.deepEqual(
      (await readdir(all)).map((name) => join(all, name)),
      [folder.path],
    )
    await mkdir(join(folder.path, 'sandbox'), { mode: 0o000 })
    await folder.remove()
    assert.deepEqual([await readdir(all), lines], [[], []])
    await removeTree(dataDir)
  }),
)

proves(
  'sandbox.closed',
  'what cannot be removed is logged, and the process gets a folder all the same',
  { skip: !isRoot() && 'only root can make what another account cannot remove' },
  async () => {
    const { dataDir, all, lines, make } = await place()
    await mkdir(join(all, `${here}+${nobody}+${newId()}/of-root/in`), { recursive: true })
    for (const folder of [dataDir, all]) await chmod(folder, 0o777)
    const folder = await withoutRights(() => make(dataDir))
    assert.match(lines.join(''), /left of its sandboxes could not be removed/)
    await mkdir(join(folder.path, 'of-root/in'), { recursive: true })
    await withoutRights(() => folder.remove())
    assert.match(lines.join(''), /folder of the sandboxes could not be removed/)
    assert.equal((await readdir(all)).length, 2)
    await removeTree(dataDir)
  },
)

proves('sandbox.tidy', 'what nobody touched for a week is removed, whichever machine it was of', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { dataDir, all, make } = await place()
  const daysAgo = async (name: string, days: number): Promise<string> => {
    await mkdir(join(all, name))
    const then = new Date(Date.now() - days * 24 * 3600_000)
    await utimes(join(all, name), then, then)
    return name
  }
  await daysAgo(`container+1+${newId()}`, 8)
  const kept = [await daysAgo(`container+1+${newId()}`, 6), await daysAgo('of somebody else', 8)]
  const folder = await make(dataDir)
  assert.deepEqual((await readdir(all)).filter((name) => !folder.path.endsWith(name)).toSorted(), kept.toSorted())
  // its own says each hour that it is in use
  await utimes(folder.path, 0, 0)
  t.mock.timers.tick(3600_000)
  while ((await lstat(folder.path)).mtimeMs === 0);
  await folder.remove()
  await removeTree(dataDir)
})
