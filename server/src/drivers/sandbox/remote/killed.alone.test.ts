// Sandbox hosts and workers that are killed or stand still while a command runs: what is promised then.
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { proves } from '../../../../test/kit/proves.ts'
import { closeAfterwards, openShell } from '../../../../test/kit/sandboxDrivers.ts'
import {
  commandsBelow,
  nextFile,
  sandboxToken,
  startSandboxHost,
  type SandboxHost,
} from '../../../../test/kit/sandboxHosts.ts'
import { createLog } from '../../../base/log.ts'
import { isGone } from '../processTree.ts'
import { remoteDriver } from './remote.ts'

const onLinux = process.platform === 'linux' ? {} : { skip: 'looks at processes by /proc' }
const log = createLog('silent')
closeAfterwards()

async function hostFor(t: TestContext, env: Record<string, string> = {}): Promise<SandboxHost> {
  const host = await startSandboxHost({ RUNYARD_SANDBOX_LEASE_S: '1', ...env })
  t.after(() => host.stop())
  return host
}

const commandsOf = ({ pid }: SandboxHost): number[] => commandsBelow(pid)

proves(
  'sandbox.remote.hostKilled',
  'a command whose sandbox host is killed is answered once as died, with the files as they were, and the next one runs on another host',
  async (t) => {
    const hosts = [await hostFor(t), await hostFor(t)]
    const urls = hosts.map(({ url }) => url)
    const driver = remoteDriver({ urls, token: sandboxToken, bytesMax: 1e9, hosts: [], shellsMax: 1, log })
    t.after(() => driver.close())
    const { run, lay, folder } = await openShell(t, driver)
    await lay('given', 'given\n')
    await run('bash', 'echo before > made')
    const [first, other] = (await hosts[0]!.workspaces()).length > 0 ? hosts : hosts.toReversed()
    const [workspace = ''] = await first!.workspaces()
    const begun = nextFile([workspace], 'begun')
    const running = run('bash', 'echo changed > given; rm made; echo > begun; sleep 600')
    await begun
    const processes = commandsOf(first!)
    first!.signal('SIGKILL')
    const { duration_ms, ...executed } = await running
    assert.deepEqual(executed, {
      exit_code: 137,
      stdout: '',
      stderr:
        'The shell died while it ran this. Try again, or do it another way. The files are as they were before it.\n',
      truncated: false,
      cut_off: 'died',
    })
    assert.equal(duration_ms, 0)
    // nobody sent it again: the other host has never had a sandbox
    assert.doesNotMatch(other!.said(), /a sandbox/)
    assert.deepEqual(await other!.workspaces(), [])
    assert.deepEqual((await readdir(folder)).sort(), ['given', 'made'])
    assert.equal(await readFile(join(folder, 'given'), 'utf8'), 'given\n')
    assert.equal((await run('bash', 'cat given made')).stdout, 'given\nbefore\n')
    assert.equal((await other!.workspaces()).length, 1)
    // a test that fails here hangs until its time limit: there is no moment by which the kernel must be done
    while (!processes.every(isGone)) await pause(10)
  },
)

proves(
  'sandbox.remote.workerKilled',
  'the sandboxes of a killed worker end on their host with all processes and files',
  onLinux,
  async (t) => {
    const host = await hostFor(t)
    const worker = await workerAt(t, host)
    const processes = commandsOf(host)
    assert.ok(processes.length > 0)
    assert.equal((await host.workspaces()).length, 2)
    worker.kill('SIGKILL')
    while (!processes.every(isGone) || (await host.workspaces()).length > 0) await pause(10)
  },
)

proves(
  'sandbox.remote.workerKilled',
  'a worker that stands still for longer than its lease finds its command died, and nothing of it lives',
  onLinux,
  async (t) => {
    const host = await hostFor(t)
    const worker = await workerAt(t, host)
    const processes = commandsOf(host)
    worker.kill('SIGSTOP')
    while (!processes.every(isGone) || (await host.workspaces()).length > 0) await pause(10)
    assert.match(host.said(), /its lease ran out/)
    worker.kill('SIGCONT')
    const [line] = (await once(worker.stdout!, 'data')) as [Buffer]
    assert.match(line.toString(), /^died 137/)
  },
)

/** A worker with one idle sandbox, and one in which a command runs. */
async function workerAt(t: TestContext, host: SandboxHost): Promise<ChildProcess> {
  const parent = await mkdtemp(join(await realpath(tmpdir()), 'runyard-test-'))
  t.after(() => rm(parent, { recursive: true, force: true }))
  const worker = spawn(process.execPath, ['--input-type=module', '-e', workerCode(host.url)], {
    cwd: parent,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  t.after(() => worker.kill('SIGKILL'))
  await once(worker.stdout, 'data')
  const begun = nextFile(await host.workspaces(), 'begun')
  worker.stdin.write('go')
  await begun
  return worker
}

const workerCode = (url: string): string => `
  const { mkdir } = await import('node:fs/promises')
  const { resolve } = await import('node:path')
  const { remoteDriver } = await import('${new URL('./remote.ts', import.meta.url).href}')
  const { createLog } = await import('${new URL('../../../base/log.ts', import.meta.url).href}')
  const driver = remoteDriver({
    urls: ['${url}'], token: '${sandboxToken}', bytesMax: 1e9, hosts: [], shellsMax: 2, log: createLog('silent'),
  })
  const signal = new AbortController().signal
  const wanted = { language: 'bash', timeoutMs: 600000, outputBytesMax: 1000, signal }
  const shells = []
  for (const name of ['idle', 'busy']) {
    const folder = resolve(name)
    await mkdir(folder)
    shells.push(await driver.open({ folder, signal }))
    await shells.at(-1).exec({ ...wanted, code: 'true' })
  }
  console.log('ready')
  process.stdin.once('data', async () => {
    const { cut_off, exit_code } = await shells[1].exec({ ...wanted, code: 'echo > begun; sleep 600' })
    console.log(cut_off, exit_code)
  })`
