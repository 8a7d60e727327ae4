// The folders of a process for its sandboxes: what a killed one left is ended and removed by the next.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { newId } from '../../../base/ids.ts'
import { createLog } from '../../../base/log.ts'
import { testApp } from '../../../../test/kit/testApp.ts'
import { closeIdle, type WarmSandboxes } from '../exec/warmSandboxes.ts'
import type { OpenSandbox } from './openSandbox.ts'
import { sandboxPoolOf } from './sandboxPool.ts'
import { proves } from '../../../../test/kit/proves.ts'

const isLinux = process.platform === 'linux'

proves(
  'sandbox.tidy',
  'a bubblewrap that waits for a killed process is ended, and its folder goes',
  { skip: !isLinux },
  async (t) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'runyard-test-'))
    t.after(() => rm(dataDir, { recursive: true }))
    const { context } = await testApp({ config: { dataDir, sandbox: 'just_bash' } })
    const killed = spawn('true')
    await once(killed, 'exit')
    const rooms = join(dataDir, 'sandboxes')
    const room = join(rooms, `${hostname().replaceAll(/[^\w.-]/g, '_')}+${killed.pid}+${newId()}`)
    await mkdir(join(room, 'workspace'), { recursive: true })
    // a shell by that name, which waits for a line that nobody sends
    await symlink('/bin/sh', join(dataDir, 'bwrap'))
    const waits = (folder: string) => spawn(join(dataDir, 'bwrap'), ['-c', 'echo; read line', folder])
    const [left, another] = [waits(join(room, 'workspace')), waits(join(dataDir, 'workspace'))]
    await Promise.all([left, another].map(({ stdout }) => once(stdout, 'data')))
    t.after(() => another.kill())

    const ended = once(left, 'exit')
    const bench = await sandboxPoolOf(context).open({ sandbox_id: newId(), team_id: newId() })
    assert.deepEqual(await ended, [null, 'SIGKILL'])
    assert.equal(another.exitCode, null)
    assert.deepEqual(
      (await readdir(rooms)).map((name) => name.split('+')[1]),
      [String(process.pid)],
    )
    await bench.close()
  },
)

proves(
  'sandbox.closed',
  'a process that could make no folder for its sandboxes makes it for the next command',
  async (t) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'runyard-test-'))
    t.after(() => rm(dataDir, { recursive: true }))
    const { context } = await testApp({ config: { dataDir, sandbox: 'just_bash' } })
    await writeFile(join(dataDir, 'sandboxes'), 'in the way')
    const open = () => sandboxPoolOf(context).open({ sandbox_id: newId(), team_id: newId() })
    await assert.rejects(open(), /EEXIST|ENOTDIR/)
    await rm(join(dataDir, 'sandboxes'))
    const bench = await open()
    await bench.close()
  },
)

const old = (
  id: string,
  close: () => Promise<void>,
): [string, { sandbox: Promise<OpenSandbox>; idleSince: number }] => {
  const sandbox = { workspace: { sandbox_id: id, team_id: newId() }, run: () => Promise.reject(new Error()), close }
  return [id, { sandbox: Promise.resolve(sandbox), idleSince: -1e9 }]
}

proves('sandbox.closed', 'a sandbox that cannot be closed is logged, and those after it are closed', async () => {
  const lines: string[] = []
  const log = createLog('info', { write: (line: string) => lines.push(line) })
  const closed: string[] = []
  const warm: WarmSandboxes = new Map([
    old('stuck', () => Promise.reject(new Error('its processes do not die'))),
    old('next', async () => void closed.push('next')),
  ])
  await closeIdle(warm, log)
  assert.deepEqual([closed, warm.size], [['next'], 0])
  assert.match(lines.join(''), /its processes do not die/)
})
