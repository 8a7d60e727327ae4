// How bubblewrap is called: what of the machine a command sees, and as whom it runs.
import { existsSync, lstatSync, readdirSync, readlinkSync } from 'node:fs'
import { extname } from 'node:path'
import { commandNiceness } from './lowerPriority.ts'
import type { Command, CommandLimits } from './sandbox.ts'

/** "nobody" on every Linux: the user of a command inside the sandbox. */
const nobody = '65534'
/** The user of a command outside the sandbox when the service is root: not nobody, who owns the files of the embedded PostgreSQL then. */
export const sandboxUserId = 65_532
const sandboxUser = String(sandboxUserId)

export interface Programs {
  bwrap: string
  /** The program that drops the rights of root before the sandbox is made; null when we are not root. */
  setpriv: string | null
  mkfifo: string
  /** The program that lowers the CPU priority before anything else starts; null when it is not installed. */
  nice: string | null
  /** The service's own, for `js` and the relay. */
  node: string
}

/** The filtering proxy of one command. */
export interface Proxied {
  socket: string
  relay: string
}

/** Numbers of the file descriptors that bubblewrap reads from, or writes to us on. */
export const descriptors = { code: 3, args: 4, passwd: 5, info: 6 } as const

export const passwd = `sandbox:x:${nobody}:${nobody}::/tmp:/bin/bash\n`

const proxyPort = '3128'
const mebibyte = 1024 * 1024

interface Bind {
  from: string
  to: string
  isWritable: boolean
}

interface BubblewrapCall {
  program: string
  args: string[]
  /** Arguments that bubblewrap reads from a descriptor: on its command line, processes inside could see them. */
  options: string[]
}

export function bubblewrapCall(wanted: {
  programs: Programs
  folder: string
  laid?: string | undefined
  proxied: Proxied | null
  command: Command
  limits: CommandLimits
  countsOwnProcesses: boolean
  joinPath: string | null
}): BubblewrapCall {
  const { programs, folder, laid, proxied, joinPath } = wanted
  const binds: Bind[] = [
    { from: folder, to: '/workspace', isWritable: true },
    { from: programs.node, to: '/opt/bin/node', isWritable: false },
    ...(laid === undefined ? [] : readdirSync(laid)).map((name) => ({
      from: `${laid}/${name}`,
      to: `/${name}`,
      isWritable: false,
    })),
  ]
  if (proxied !== null) {
    binds.push({ from: proxied.relay, to: relayFile(proxied), isWritable: false })
    binds.push({ from: proxied.socket, to: '/opt/proxy.sock', isWritable: false })
  }
  const { bwrap, setpriv, nice } = programs
  const isStaged = setpriv !== null
  const command = [bwrap, '--args', String(descriptors.args), '--', ...innerCommand(wanted)]
  const staged = isStaged ? asNobody(bwrap, setpriv, binds, command) : command
  const yielding = nice === null ? staged : [nice, '-n', String(commandNiceness), ...staged]
  const [program = bwrap, ...args] =
    joinPath === null ? yielding : ['/bin/sh', '-c', joinAndRun, 'sh', joinPath, ...yielding]
  const reachable = isStaged ? binds.map((bind, index) => ({ ...bind, from: stagedPath(index) })) : binds
  return { program, args, options: sandboxOptions(reachable, proxied !== null, isStaged, wanted.command.env ?? {}) }
}

const joinAndRun = 'echo $$ > "$1" && shift && exec "$@"'
const stagedPath = (index: number): string => `/tmp/${index}`

/**
 * Root first makes a view of the machine in which a user without rights reaches what the sandbox needs (our folders are
 * closed to others), and then becomes that user. A user namespace alone would not do: its nobody would still be root for
 * the files and the process limits of the machine. The view has its own processes too: root without rights may not send
 * the signal by which nobody's processes are to die with their parent, but the kernel ends a namespace without asking.
 */
function asNobody(bwrap: string, setpriv: string, binds: Bind[], command: string[]): string[] {
  const mounts = binds.flatMap(({ from, isWritable }, index) => [bindOption(isWritable), from, stagedPath(index)])
  const view = [bwrap, ...lifeOptions, '--dev-bind', '/', '/', '--tmpfs', '/tmp', ...mounts, '--']
  const drop = [
    '--reuid',
    sandboxUser,
    '--regid',
    sandboxUser,
    '--clear-groups',
    '--inh-caps=-all',
    '--no-new-privs',
    '--',
  ]
  return [...view, setpriv, ...drop, ...command]
}

/** Dies with the service; says which process is the first inside, as the machine counts. */
const lifeOptions = ['--die-with-parent', '--unshare-pid', '--info-fd', String(descriptors.info)]

const bindOption = (isWritable: boolean): string => (isWritable ? '--bind' : '--ro-bind')

function sandboxOptions(
  binds: Bind[],
  isProxied: boolean,
  isStaged: boolean,
  env: Readonly<Record<string, string>>,
): string[] {
  return [
    // nothing shared with the machine: users, processes, network, names, memory segments, control groups
    ['--unshare-all', '--unshare-user', '--disable-userns', '--uid', nobody, '--gid', nobody],
    // no session of its own: it is in that of bubblewrap, which has no terminal, and whose priority is set before it begins
    ['--cap-drop', 'ALL', '--hostname', 'sandbox'],
    isStaged ? ['--die-with-parent'] : lifeOptions,
    systemOptions(),
    ['--proc', '/proc', '--dev', '/dev', '--size', String(64 * mebibyte), '--tmpfs', '/dev/shm'],
    ['--size', String(256 * mebibyte), '--tmpfs', '/tmp'],
    ['--ro-bind-data', String(descriptors.passwd), '/etc/passwd'],
    ['--ro-bind-data', String(descriptors.code), '/run/code'],
    binds.flatMap(({ from, to, isWritable }) => [bindOption(isWritable), from, to]),
    // bubblewrap makes two of them in memory, and they would grow with everything that is written to them; by the third a program could give
    // its session the CPU priority of the service again
    ['--remount-ro', '/dev', '--remount-ro', '/', '--remount-ro', '/proc', '--chdir', '/workspace', '--clearenv'],
    Object.entries({ ...environment(isProxied), ...env }).flatMap(([name, value]) => ['--setenv', name, value]),
  ].flat()
}

/** What programs need of /etc to run and to trust certificates, and no more. */
const systemFiles = [
  '/etc/ld.so.cache',
  '/etc/alternatives',
  '/etc/nsswitch.conf',
  '/etc/localtime',
  '/etc/mime.types',
  '/etc/ssl/certs',
  '/etc/ssl/openssl.cnf',
  '/etc/pki/ca-trust/extracted',
  '/etc/crypto-policies',
]

function systemOptions(): string[] {
  const folders = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'].filter((path) => existsSync(path))
  const programs = folders.flatMap((path) =>
    lstatSync(path).isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path],
  )
  return ['--ro-bind', '/usr', '/usr', ...programs, ...systemFiles.flatMap((path) => ['--ro-bind-try', path, path])]
}

function environment(isProxied: boolean): Record<string, string> {
  const proxy = `http://127.0.0.1:${proxyPort}`
  const names = ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY']
  return {
    PATH: '/opt/bin:/usr/local/bin:/usr/bin:/bin',
    HOME: '/tmp',
    LANG: 'C.UTF-8',
    // the code is in another folder but must find the modules of the workspace; compiled files must not appear among the user's files
    PYTHONPATH: '/workspace',
    PYTHONDONTWRITEBYTECODE: '1',
    ...(isProxied && { ...Object.fromEntries(names.map((name) => [name, proxy])), NODE_USE_ENV_PROXY: '1' }),
  }
}

// Closes the files that the service was started with: otherwise they would be open in everything that it starts.
const closeInherited = 'for fd in /proc/self/fd/*; do fd=${fd##*/}; (( fd > 2 )) && eval "exec $fd>&-"; done'

/** Its ending says that it is a module: there is no package.json beside it. */
const relayFile = ({ relay }: Proxied): string => `/opt/relay.m${extname(relay).slice(-2)}`

const relayCommand = (proxied: Proxied): string[] => [
  '/opt/bin/node',
  '--no-warnings',
  relayFile(proxied),
  proxyPort,
  '/opt/proxy.sock',
]

function innerCommand(wanted: {
  command: Command
  limits: CommandLimits
  proxied: Proxied | null
  countsOwnProcesses: boolean
}): string[] {
  const { command, limits, proxied, countsOwnProcesses } = wanted
  const { language, timeoutMs } = command
  const program = { bash: ['/bin/bash', '/run/code'], python: ['python3', '/run/code'], js: ['/opt/bin/node', '-'] }[
    language
  ]
  const ulimits = [
    '-c 0',
    `-f ${Math.ceil(limits.fileBytesMax / 1024)}`,
    '-n 1024',
    // the CPU time of one process on all cores, for a process that nobody watches any more
    `-t ${Math.ceil(timeoutMs / 1000 + 1) * 64}`,
    // threads count too
    ...(countsOwnProcesses ? [`-u ${4 * limits.processesMax}`] : []),
  ]
  const script = `${closeInherited}; ulimit ${ulimits.join(' ')}; exec "$@"${language === 'js' ? ' < /run/code' : ''}`
  return ['/bin/bash', '-c', script, 'bash', ...(proxied === null ? [] : relayCommand(proxied)), ...program]
}
