// One command in bubblewrap: real processes in namespaces of their own, all of which are gone before it answers.
import { spawn } from 'node:child_process'
import { lchown } from 'node:fs/promises'
import type { Readable, Writable } from 'node:stream'
import { pipeOf } from '../../base/pipeOf.ts'
import { bubblewrapCall, descriptors, passwd, type Programs, type Proxied } from './bubblewrapArguments.ts'
import { makeCgroup, type Cgroup } from './cgroup.ts'
import type { SessionPriorities } from './lowerPriority.ts'
import { makeOutputPipes, type OutputPipes } from './outputPipes.ts'
import { killTree } from './processTree.ts'
import type { Command, Executed, CommandLimits, SandboxDriver, ShellFolders } from './sandbox.ts'
import { endingOf, watchCommand, withSentence, type CutReason } from './watchCommand.ts'

/** How commands are started on this machine. */
export interface Bubblewrap {
  programs: Programs
  limits: CommandLimits
  /** Whether the kernel counts processes for each user namespace: otherwise the limit would count the processes of the whole machine. */
  countsOwnProcesses: boolean
  cgroupParent: string | null
  owner: SandboxDriver['owner']
  /** A folder for pipes and sockets that other users cannot enter. */
  ownFolder: string
}

/** One command, and the way to the network that was opened for it; null: there is none. */
export type Wanted = ShellFolders & { proxied: Proxied | null; command: Command }

export async function runInBubblewrap(
  bubblewrap: Bubblewrap,
  wanted: Wanted,
  priorities: SessionPriorities,
): Promise<Executed> {
  const { limits, cgroupParent, owner } = bubblewrap
  // the caller gives the files their owner; the folder itself must be given here
  if (owner !== undefined) await lchown(wanted.folder, owner.uid, owner.gid)
  const cgroup = cgroupParent === null ? null : await makeCgroup(cgroupParent, limits)
  try {
    return await run(bubblewrap, wanted, cgroup, priorities)
  } finally {
    await cgroup?.remove()
  }
}

async function run(
  bubblewrap: Bubblewrap,
  wanted: Wanted,
  cgroup: Cgroup | null,
  priorities: SessionPriorities,
): Promise<Executed> {
  const { folder, command } = wanted
  const { limits, programs, ownFolder } = bubblewrap
  const pipes = await makeOutputPipes(programs.mkfifo, ownFolder, command.outputBytesMax)
  const startedAt = performance.now()
  const joinPath = cgroup?.joinPath ?? null
  const { pid, ended, firstInside } = await start(bubblewrap, { ...wanted, pipes, joinPath })
  // it leads a session of its own, in which everything begins that it starts
  priorities.see(new Map([[pid, pid]]))
  const watch = watchCommand({ pid, folder, command, limits, onSessions: (sessions) => priorities.see(sessions) })
  const outcome = await Promise.race([ended, watch.cut])
  watch.stop()
  // This also happens after a regular end: bubblewrap may exit before the last process inside is gone.
  await killTree(pid, firstInside())
  const [{ code, signal }, out, err] = await Promise.all([ended, pipes.stdout.result(), pipes.stderr.result()])
  if (outcome === 'aborted') throw command.signal.reason

  const duration_ms = Math.round(performance.now() - startedAt)
  const said = { stdout: out.text, stderr: err.text, truncated: out.truncated || err.truncated, duration_ms }
  const cut = typeof outcome === 'string' ? outcome : await whyItDied(signal, cgroup)
  if (cut === null) return { ...said, exit_code: code ?? 137, cut_off: null }
  const { sentence, ...ending } = endingOf(cut, command, limits)
  return { ...said, ...ending, stderr: withSentence(err.text, sentence) }
}

interface Started {
  pid: number
  ended: Promise<Ended>
  /** The first process inside, as the machine counts it: with its end the kernel ends all others there. */
  firstInside: () => number[]
}

async function start(
  bubblewrap: Bubblewrap,
  wanted: Wanted & { pipes: OutputPipes; joinPath: string | null },
): Promise<Started> {
  const { command, pipes } = wanted
  const call = bubblewrapCall({ ...bubblewrap, ...wanted })
  // a group of its own, by which it is killed
  const child = spawn(call.program, call.args, {
    cwd: '/',
    env: {},
    detached: true,
    stdio: ['ignore', pipes.stdout.writeFd, pipes.stderr.writeFd, 'pipe', 'pipe', 'pipe', 'pipe'],
  })
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
    child.once('error', reject)
  })
  await Promise.all([pipes.stdout.closeWriteEnd(), pipes.stderr.closeWriteEnd()])
  // the error was reported before, and is the one to throw
  if (child.pid === undefined) return ended as Promise<never>
  give(pipeOf(child, descriptors.code), command.code)
  give(pipeOf(child, descriptors.args), call.options.map((option) => `${option}\0`).join(''))
  give(pipeOf(child, descriptors.passwd), passwd)
  return { pid: child.pid, ended, firstInside: readInfo(pipeOf(child, descriptors.info)) }
}

interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
}

/** Nothing inside can kill bubblewrap itself: if it was killed, the system did it. */
async function whyItDied(
  signal: NodeJS.Signals | null,
  cgroup: Cgroup | null,
): Promise<Exclude<CutReason, 'aborted'> | 'died' | null> {
  if ((await cgroup?.ranOutOfMemory()) === true) return 'memory'
  return signal === null ? null : 'died'
}

// A process that ends before it has read everything reports why by its exit, not by this pipe.
function give(stream: Writable, text: string): void {
  stream.on('error', () => {})
  stream.end(text)
}

function readInfo(stream: Readable): () => number[] {
  let text = ''
  stream.setEncoding('utf8').on('data', (part: string) => {
    text = (text + part).slice(0, 4096)
  })
  return () => {
    const pid = /"child-pid":\s*(\d+)/.exec(text)?.[1]
    return pid === undefined ? [] : [Number(pid)]
  }
}
