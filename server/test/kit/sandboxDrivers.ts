// Both sandbox drivers for the suites that hold for either, and folders for their shells.
import { lchown, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext } from 'node:test'
import { createLog } from '../../src/base/log.ts'
import { createOutbound } from '../../src/base/outbound/fetch.ts'
import { createGuard } from '../../src/base/outbound/guard.ts'
import { bubblewrapDriver } from '../../src/drivers/sandbox/bubblewrap.ts'
import { justBashDriver } from '../../src/drivers/sandbox/justBash.ts'
import type { Command, Executed, CommandLimits, SandboxDriver, Shell } from '../../src/drivers/sandbox/sandbox.ts'

export interface DriverOptions {
  hosts?: string[]
  shellsMax?: number
  limits?: Partial<CommandLimits>
}

export interface DriverUnderTest {
  name: SandboxDriver['name']
  /** Why its half of a suite cannot run here; false: it can. */
  skip: string | false
  make: (options?: DriverOptions) => Promise<SandboxDriver>
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

/** Both drivers, just-bash first. */
export async function driversUnderTest(): Promise<[DriverUnderTest, DriverUnderTest]> {
  return [
    { name: 'just_bash', skip: false, make: async (options = {}) => justBashDriver(optionsFor(options)) },
    { name: 'bubblewrap', skip: await (tried ??= whyNoBubblewrap()), make: makeBubblewrap },
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
