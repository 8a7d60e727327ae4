// The sandboxes of a host whose process is not root: what one command closes or leaves behind is nothing to another team.
import assert from 'node:assert/strict'
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { TestContext } from 'node:test'
import { proves } from '../../../../test/kit/proves.ts'
import { withoutRights } from '../../../../test/kit/withoutRights.ts'
import { isRoot } from '../../../base/accounts.ts'
import { createLog } from '../../../base/log.ts'
import { removeTree } from '../../../base/removeTree.ts'
import type { SandboxDriver } from '../sandbox.ts'
import { receiveChanges } from './carryFolder.ts'
import { readFrames } from './frames.ts'
import { createHostSandboxes, type HostSandboxes } from './hostSandboxes.ts'

const executed = { exit_code: 0, stdout: '', stderr: '', truncated: false, duration_ms: 1, cut_off: null }
const wanted = { language: 'bash', code: '', timeoutMs: 1000, outputBytesMax: 1000 } as const

interface Place {
  sandboxes: HostSandboxes
  worker: string
  lines: string[]
  run: (id: string) => Promise<void>
}

/** A host with one slot, whose commands are this function, and a worker's folder that becomes equal to the command's. */
async function place(t: TestContext, command: (folder: string) => Promise<void>): Promise<Place> {
  const parent = await mkdtemp(join(await realpath(tmpdir()), 'runyard-test-'))
  t.after(() => removeTree(parent))
  const [folder, worker] = [join(parent, 'host'), join(parent, 'worker')]
  await mkdir(folder)
  await mkdir(worker)
  const driver: SandboxDriver = {
    name: 'bubblewrap',
    strength: '',
    owner: undefined,
    open: async (opened) => ({
      async exec() {
        await command(opened.folder)
        return executed
      },
      async close() {},
    }),
    async close() {},
  }
  const lines: string[] = []
  const log = createLog('warn', { write: (line: string) => lines.push(line) })
  const sandboxes = createHostSandboxes({ driver, folder, slots: 1, leaseMs: 60_000, bytesMax: 1e6, log })
  const run = (id: string): Promise<void> =>
    sandboxes.run(id, wanted, async (running) => {
      const { changes } = await running
      const reader = readFrames(Readable.from(changes, { objectMode: false }), 1e6)
      await receiveChanges(reader, { root: worker, state: new Map(), owner: undefined }, 1e6)
    })
  return { sandboxes, worker, lines, run }
}

proves('sandbox.closed', 'files and folders that a command closed come back, and can be read', (t) =>
  withoutRights(async () => {
    const { sandboxes, worker, lines, run } = await place(t, async (folder) => {
      await mkdir(join(folder, 'd/inner'), { recursive: true })
      for (const name of ['f', 'd/x', 'd/inner/y']) {
        await writeFile(join(folder, name), name)
        await chmod(join(folder, name), 0o000)
      }
      for (const name of ['d/inner', 'd', '.']) await chmod(join(folder, name), 0o000)
    })
    const id = await sandboxes.open(false)
    await run(id)
    assert.deepEqual((await readdir(worker, { recursive: true })).toSorted(), ['d', 'd/inner', 'd/inner/y', 'd/x', 'f'])
    for (const name of ['f', 'd/x', 'd/inner/y']) assert.equal(await readFile(join(worker, name), 'utf8'), name)
    await sandboxes.end(id, 'the test is over')
    assert.deepEqual(lines, [])
  }),
)

proves(
  'sandbox.closed',
  'the slot of an idle sandbox whose folder cannot be removed is given to the next',
  { skip: !isRoot() && 'only root can make what another account cannot remove' },
  (t) =>
    withoutRights(async () => {
      const { sandboxes, lines, run } = await place(t, async (folder) => {
        process.seteuid?.(0)
        await mkdir(join(folder, 'of-root/in'), { recursive: true })
        process.seteuid?.(65534)
      })
      await run(await sandboxes.open(false))
      const next = await sandboxes.open(false)
      assert.match(lines.join(''), /folder of a sandbox could not be removed/)
      await sandboxes.end(next, 'the test is over')
    }),
)
