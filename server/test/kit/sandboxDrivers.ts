// The sandbox drivers for the suites that hold for each of them, and folders for their shells.
import { lchown, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext } from 'node:test'
import { mustHave } from '../../src/base/mustHave.ts'
import { createLog } from '../../src/base/log.ts'
import { createOutbound } from '../../src/base/outbound/fetch.ts'
import { createGuard } from '../../src/base/outbound/guard.ts'
import { bubblewrapDriver } from '../../src/drivers/sandbox/bubblewrap.ts'
import { justBashDriver } from '../../src/drivers/sandbox/justBash.ts'
import { remoteDriver } from '../../src/drivers/sandbox/remote/remote.ts'
import type { Command, Executed, CommandLimits, SandboxDriver, Shell } from '../../src/drivers/sandbox/sandbox.ts'
import { commandsBelow, sandboxToken, startSandboxHost, type SandboxHost } from './sandboxHosts.ts'

export interface DriverOptions {
  hosts?: string[]
  shellsMax?: number
  limits?: Partial<CommandLimits>
}

export interface DriverUnderTest<Name extends SandboxDriver['name'] = SandboxDriver['name']> {
  name: Name
  /** Why its half of a suite cannot run here; false: it can. */
  skip: string | false
  make: (options?: DriverOptions) => Promise<SandboxDriver>
  /** The processes of the driver's commands, on a system that shows them. */
  processesOf: (driver: SandboxDriver) => number[]
  /** The folders in which the files of a command are while it runs. */
  foldersOf: (driver: SandboxDriver, folder: string) => Promise<string[]>
  /** The URL of its sandbox host, if it has one. */
  urlOf?: (driver: SandboxDriver) => string
}

// Loopback is let through by the guard, so that what keeps it out of reach in these tests is the sandbox.
const guard = createGuard({ allowPrivateHosts: ['127.0.0.1'] })
const outbound = createOutbound(guard)
const log = createLog('silent')

function optionsFor({ hosts = [], shellsMax = 8, limits = {} }: DriverOptions) {
  return { guard, outbound, hosts, shellsMax, log, limits }
}

async function makeBubblewrap(options: DriverOptions = {}): Promise<SandboxDriver> {
  const driver = await bubblewrapDriver(optionsFor(options))
  if ('unusable' in driver) throw new Error(driver.unusable)
  return driver
}

async function whyNoBubblewrap(): Promise<string | false> {
  const trial = await bubblewrapDriver(optionsFor({}))
  if ('unusable' in trial) return trial.unusable
  await trial.close()
  return false
}

let tried: Promise<string | false> | undefined

/** Sandbox hosts of other tests are processes below this one too. */
const hosts = new Set<SandboxHost>()

const here = {
  processesOf: () => {
    const others = new Set([...hosts].flatMap(({ pid }) => [pid, ...commandsBelow(pid)]))
    return commandsBelow(process.pid).filter((pid) => !others.has(pid))
  },
  foldersOf: async (_driver: SandboxDriver, folder: string) => [folder],
}

/** The drivers that run commands on this machine, just-bash first. */
export async function driversUnderTest(): Promise<[DriverUnderTest<'just_bash'>, DriverUnderTest<'bubblewrap'>]> {
  return [
    { name: 'just_bash', skip: false, make: async (options = {}) => justBashDriver(optionsFor(options)), ...here },
    { name: 'bubblewrap', skip: await (tried ??= whyNoBubblewrap()), make: makeBubblewrap, ...here },
  ]
}

/** Which sandbox host each remote driver of a test has. */
const hostOf = new WeakMap<SandboxDriver, SandboxHost>()

/** A sandbox host in a process of its own; a process that a test starts shares that of the test. */
async function makeRemote({ hosts: reachable = [], shellsMax = 8 }: DriverOptions = {}): Promise<SandboxDriver> {
  const shared = process.env['RUNYARD_TEST_SANDBOX_HOST']
  const env = { RUNYARD_SANDBOX_HOSTS: reachable.join(','), RUNYARD_SANDBOX_SHELLS: String(shellsMax) }
  const host = shared === undefined ? await startSandboxHost(env) : undefined
  const url = host?.url ?? shared ?? ''
  const driver = remoteDriver({
    urls: [url],
    token: sandboxToken,
    bytesMax: 1024 ** 3,
    hosts: reachable,
    shellsMax,
    log,
  })
  if (!host) return driver
  hosts.add(host)
  const whole = {
    ...driver,
    async close() {
      await driver.close()
      await host.stop()
      hosts.delete(host)
    },
  }
  hostOf.set(whole, host)
  return whole
}

const hostOfDriver = (driver: SandboxDriver): SandboxHost => mustHave(hostOf.get(driver), 'the host of a driver')

/** All drivers, those of this machine first. */
export async function everyDriver(): Promise<DriverUnderTest[]> {
  return [
    ...(await driversUnderTest()),
    {
      name: 'remote',
      skip: false,
      make: makeRemote,
      processesOf: (driver) => commandsBelow(hostOfDriver(driver).pid),
      foldersOf: (driver) => hostOfDriver(driver).workspaces(),
      urlOf: (driver) => hostOfDriver(driver).url,
    },
  ]
}

/** Lets the process of a test file end. */
export function closeAfterwards(...closing: { close(): Promise<void> }[]): void {
  after(() => Promise.all([...closing, outbound].map((one) => one.close())))
}

export interface Opened {
  shell: Shell
  folder: string
  /** A file in the folder, as a caller lays it out. */
  lay: (name: string, content: string) => Promise<void>
  run: (language: Command['language'], code: string, more?: Partial<Command>) => Promise<Executed>
}

/** For commands in tests that are not about time: a busy machine may take long. */
const patienceMs = 120_000

export const never = new AbortController().signal

/** A shell over a new folder; both go with the test. */
export async function openShell(t: TestContext, driver: SandboxDriver): Promise<Opened> {
  const parent = await mkdtemp(join(await realpath(tmpdir()), 'runyard-test-'))
  const folder = join(parent, 'workspace')
  await mkdir(folder)
  const shell = await driver.open({ folder, signal: never })
  t.after(async () => {
    await shell.close()
    await rm(parent, { recursive: true })
  })
  return {
    shell,
    folder,
    async lay(name, content) {
      const path = join(folder, name)
      await writeFile(path, content)
      if (driver.owner) await lchown(path, driver.owner.uid, driver.owner.gid)
    },
    run: (language, code, more = {}) =>
      shell.exec({ language, code, timeoutMs: patienceMs, outputBytesMax: 100_000, signal: never, ...more }),
  }
}
