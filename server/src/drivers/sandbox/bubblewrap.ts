// The sandbox of the Linux kernel: bubblewrap, where it is installed and really works.
import { accessSync, constants } from 'node:fs'
import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises'
import { release, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { besideFile } from '../../base/besideFile.ts'
import type { Guard } from '../../base/outbound/guard.ts'
import { createFilteringProxy } from '../../base/outbound/proxy.ts'
import type { Log } from '../../base/log.ts'
import { allowedHosts, type MayReach } from './allowedHosts.ts'
import { sandboxUserId, type Programs, type Proxied } from './bubblewrapArguments.ts'
import type { Bubblewrap } from './bubblewrapProcess.ts'
import { findCgroupParent } from './cgroup.ts'
import { commandLauncher, type CommandLauncher } from './commandLauncher.ts'
import { openShells } from './openShells.ts'
import {
  usualLimits,
  type Command,
  type Executed,
  type CommandLimits,
  type SandboxDriver,
  type Shell,
  type ShellFolders,
} from './sandbox.ts'

interface BubblewrapOptions {
  guard: Guard
  hosts: string[]
  shellsMax: number
  log: Log
  limits?: Partial<CommandLimits>
}

/** A driver that has just run a command with every option that it will use, or the sentence why there is none. */
export async function bubblewrapDriver(options: BubblewrapOptions): Promise<SandboxDriver | { unusable: string }> {
  const programs = findPrograms()
  if ('unusable' in programs) return programs
  if (programs.nice === null)
    options.log.debug('nice is not installed: commands run at the CPU priority of the service')
  const mayReach = allowedHosts(options.hosts)
  const ownFolder = await mkdtemp(join(await realpath(tmpdir()), 'runyard-sandbox-'))
  const settings = {
    programs,
    ownFolder,
    limits: { ...usualLimits, ...options.limits },
    countsOwnProcesses: isKernelFrom(5, 14),
    owner: programs.setpriv === null ? undefined : { uid: sandboxUserId, gid: sandboxUserId },
  }
  const launcher = commandLauncher(options.log)
  const openProxy = options.hosts.length === 0 ? null : proxies(options, mayReach, ownFolder)
  const found = await findWorking({ launcher, openProxy }, settings)
  if ('unusable' in found) {
    await launcher.close()
    await rm(ownFolder, { recursive: true, force: true })
    return found
  }
  const { bubblewrap } = found
  const shells = openShells(options.shellsMax, (folders) => bubblewrapShell({ launcher, openProxy }, found, folders))
  return {
    name: 'bubblewrap',
    strength: strengthOf(bubblewrap),
    owner: bubblewrap.owner,
    open: shells.open,
    async close() {
      await shells.close()
      await launcher.close()
      await rm(ownFolder, { recursive: true, force: true })
    },
  }
}

interface Working {
  bubblewrap: Bubblewrap
  languages: Set<string>
}

/** What a command needs of this process. */
interface Around {
  launcher: CommandLauncher
  /** Opens the way to the network for one command; null without hosts that may be reached. */
  openProxy: (() => Promise<Proxied & { close(): Promise<void> }>) | null
}

/** With a control group if one can be made and entered, else without. */
async function findWorking(
  around: Around,
  settings: Omit<Bubblewrap, 'cgroupParent'>,
): Promise<Working | { unusable: string }> {
  const cgroupParent = await findCgroupParent()
  if (cgroupParent !== null) {
    const held = await probe(around, { ...settings, cgroupParent })
    if (!('unusable' in held)) return held
  }
  return probe(around, { ...settings, cgroupParent: null })
}

function strengthOf({ cgroupParent }: Bubblewrap): string {
  const memory = cgroupParent === null ? 'memory is looked at ten times a second' : 'memory is held by a control group'
  return (
    'bubblewrap: real processes without rights, in namespaces without network, that see the programs of this machine and ' +
    `the workspace alone (${memory}); a hole in the kernel is not held back.`
  )
}

/** Nothing of it lives between two commands, so nothing must be prepared or ended. */
function bubblewrapShell(around: Around, { bubblewrap, languages }: Working, folders: ShellFolders): Shell {
  return {
    async exec(command) {
      return languages.has(command.language)
        ? exec(around, bubblewrap, { ...folders, command })
        : missing(command.language)
    },
    async close() {},
  }
}

async function exec(
  { launcher, openProxy }: Around,
  bubblewrap: Bubblewrap,
  wanted: ShellFolders & { command: Command },
): Promise<Executed> {
  const proxy = (await openProxy?.()) ?? null
  try {
    const proxied = proxy && { socket: proxy.socket, relay: proxy.relay }
    return await launcher.run(bubblewrap, { ...wanted, proxied })
  } finally {
    await proxy?.close()
  }
}

function missing(language: string): Executed {
  const stderr = `${language} is not installed on this server. Use another language, or ask the operator to install it.\n`
  return { exit_code: 127, stdout: '', stderr, truncated: false, duration_ms: 0, cut_off: null }
}

function findPrograms(): Programs | { unusable: string } {
  if (process.platform !== 'linux') return { unusable: 'bubblewrap exists on Linux only' }
  const bwrap = findProgram('bwrap')
  if (bwrap === null) return { unusable: 'bwrap is not installed' }
  const mkfifo = findProgram('mkfifo')
  if (mkfifo === null) return { unusable: 'mkfifo is not installed' }
  const isRoot = process.getuid?.() === 0
  const setpriv = isRoot ? findProgram('setpriv') : null
  if (isRoot && setpriv === null) return { unusable: 'setpriv is not installed, and the service runs as root' }
  return { bwrap, setpriv, mkfifo, nice: findProgram('nice'), node: process.execPath }
}

function findProgram(name: string): string | null {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/local/bin', '/usr/bin', '/bin']
  for (const folder of folders.filter((one) => one.startsWith('/'))) {
    const path = join(folder, name)
    try {
      accessSync(path, constants.X_OK)
      return path
    } catch {
      // not here: the next folder
    }
  }
  return null
}

/** Since 5.14 a limit of processes counts those of the user namespace (ucounts), not all that the user has. */
function isKernelFrom(major: number, minor: number): boolean {
  const [ownMajor = 0, ownMinor = 0] = release().split('.').map(Number)
  return ownMajor > major || (ownMajor === major && ownMinor >= minor)
}

const probeCode = `
set -e
echo it > /workspace/works
cat /workspace/works
python3 -c 'print("python")' 2> /dev/null || true
/opt/bin/node -e 'console.log("js")' 2> /dev/null || true
`

async function probe(around: Around, bubblewrap: Bubblewrap): Promise<Working | { unusable: string }> {
  const folder = await mkdtemp(join(bubblewrap.ownFolder, 'probe-'))
  const command: Command = {
    language: 'bash',
    code: probeCode,
    timeoutMs: 20_000,
    outputBytesMax: 4096,
    signal: new AbortController().signal,
  }
  try {
    const { stdout, stderr, exit_code } = await exec(around, bubblewrap, { folder, command })
    const [works, ...languages] = stdout.trim().split('\n')
    if (works === 'it') return { bubblewrap, languages: new Set(['bash', ...languages]) }
    return { unusable: `bwrap does not work here: ${stderr.trim() || `it ended with ${exit_code}`}` }
  } catch (error) {
    return { unusable: `bwrap cannot be run here: ${error instanceof Error ? error.message : String(error)}` }
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** More than package managers open at once. */
const connectionsMax = 128

/** Each command has a proxy of its own: none uses up the connections of another, and none of its own outlives it. */
function proxies(
  { guard, log }: BubblewrapOptions,
  mayReach: MayReach,
  folder: string,
): NonNullable<Around['openProxy']> {
  const relay = fileURLToPath(besideFile('proxyRelay', import.meta.url))
  let opened = 0
  return async () => {
    const socket = join(folder, `proxy-${(opened += 1)}.sock`)
    const proxy = createFilteringProxy({
      guard,
      mayReach,
      onRefused: ({ host, reason }) => log.info({ host, reason }, 'a sandbox was refused a host'),
      connectionsMax,
    })
    await proxy.listen({ path: socket })
    // Other users cannot enter the folder. The sandbox gets only the socket, which it opens as nobody.
    await chmod(socket, 0o666)
    return { socket, relay, close: () => proxy.close() }
  }
}
