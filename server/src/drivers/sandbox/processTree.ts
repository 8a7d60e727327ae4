// A process and all its descendants: how much memory they hold, how many they are, and how they are ended.
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'

interface TreeSample {
  memoryBytes: number
  /** The processes from the root down, at most as many as were asked for. */
  pids: number[]
  /** Their sessions, each with the first of its processes. Empty where the system does not say. */
  sessions: Map<number, number>
}

/** Only a process stuck in the kernel (a dead disk) outlives its kill for long. */
const killMs = 10_000
const run = promisify(execFile)

/**
 * Measures a tree once. On Linux it reads /proc synchronously: a few reads of 20 µs each, and at most `processesMax + 1` processes.
 * Elsewhere `ps` reports only the root, which is all that drivers start there.
 */
export async function sampleTree(root: number, processesMax: number): Promise<TreeSample> {
  if (process.platform === 'linux') return sampleProc(root, processesMax)
  if (process.platform === 'win32') return { memoryBytes: 0, pids: [root], sessions: new Map() }
  try {
    const { stdout } = await run('ps', ['-o', 'rss=', '-p', String(root)])
    return { memoryBytes: Number(stdout.trim()) * 1024, pids: [root], sessions: new Map() }
  } catch {
    // ps fails for a process that is gone, and where there is no ps the child watches its memory itself
    return { memoryBytes: 0, pids: [], sessions: new Map() }
  }
}

export function sampleProc(root: number, processesMax: number): TreeSample {
  const pids = [root]
  const sessions = new Map<number, number>()
  let memoryBytes = 0
  // the list grows while it is walked: children stand after their parents
  for (const pid of pids) {
    const status = read(`/proc/${pid}/status`)
    memoryBytes += residentBytes(status) + namelessFileBytes(pid)
    const session = sessionIn(status)
    if (session !== undefined && !sessions.has(session)) sessions.set(session, pid)
    for (const child of childrenOf(pid)) if (pids.length <= processesMax) pids.push(child)
  }
  return { memoryBytes, pids, sessions }
}

/** In KiB whatever the size of a page. */
const residentBytes = (status: string): number => Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) * 1024

/** The first number is ours; further ones are those of the namespaces that the process is in. */
function sessionIn(status: string): number | undefined {
  const session = /^NSsid:\s+(\d+)/m.exec(status)?.[1]
  return session === undefined ? undefined : Number(session)
}

/** Memory of a file without a name (memfd_create) counts for no process while it is not mapped. */
function namelessFileBytes(pid: number): number {
  let bytes = 0
  for (const fd of list(`/proc/${pid}/fd`)) {
    const path = `/proc/${pid}/fd/${fd}`
    try {
      if (readlinkSync(path).startsWith('/memfd:')) bytes += statSync(path).blocks * 512
    } catch {
      // closed between the listing and here
    }
  }
  return bytes
}

function childrenOf(pid: number): number[] {
  return list(`/proc/${pid}/task`).flatMap((thread) =>
    read(`/proc/${pid}/task/${thread}/children`)
      .split(' ')
      .filter((child) => child !== '')
      .map(Number),
  )
}

// A process may end between two reads: then nothing is read.
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

function list(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

/** Gone, or a zombie that only waits to be reaped. */
export function isGone(pid: number): boolean {
  const stat = read(`/proc/${pid}/stat`)
  // the name stands in parentheses and may hold any character
  return stat === '' || ['Z', 'X'].includes(stat.slice(stat.lastIndexOf(')') + 2)[0] ?? '')
}

/**
 * Kills a tree whose root leads a process group, and waits until nothing of it lives. Below a root that opened a process
 * namespace this is final: the kernel ends everything in it with its first process, which stands near the root.
 */
export async function killTree(root: number, others: number[] = []): Promise<void> {
  const found = new Set<number>(others)
  const givenUpAt = performance.now() + killMs
  for (let waitMs = 1; performance.now() < givenUpAt; waitMs = Math.min(waitMs * 2, 50)) {
    for (const pid of sampleProc(root, 64).pids) found.add(pid)
    const living = [...found].filter((pid) => !isGone(pid))
    if (living.length === 0) return
    for (const pid of [-root, ...living]) kill(pid)
    await pause(waitMs)
  }
  throw new Error(`processes of a sandbox do not die: ${[...found].filter((pid) => !isGone(pid)).join(', ')}`)
}

/**
 * Ends what killed processes left of sandboxes whose folders lie in this one: bubblewrap ends with its parent only after its own start, and
 * before that its first child waits for ever for one that was killed. Only root's are found: others hide their folder from the command line.
 */
export async function endLeftIn(folder: string): Promise<void> {
  for (const pid of list('/proc').map(Number)) if (isBubblewrapIn(folder, pid)) await killTree(pid)
}

function isBubblewrapIn(folder: string, pid: number): boolean {
  if (read(`/proc/${pid}/comm`) !== 'bwrap\n') return false
  const words = read(`/proc/${pid}/cmdline`).split('\0')
  return words.some((word) => word.startsWith(`${folder}/`))
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
