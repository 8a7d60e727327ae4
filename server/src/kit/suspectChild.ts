// One process for suspects, as the process that started it sees it: what it is given, what it took, and how it ended.
import { fork, type ChildProcess } from 'node:child_process'
import { totalmem } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { getHeapStatistics } from 'node:v8'

/** One piece of work: its kind, its id, and what else the process that does it must know. */
export interface Unit {
  kind: string
  id: string
  epoch: number
}

/**
 * `done`: the unit has advanced, waits, or has ended; `failure` is the error it ended with. `died`: the process died over it, `at` is the
 * part that was begun last, and `isSure` says that nothing else was in that process. `untouched`: no process took it, or a process that
 * had to stop gave it back.
 */
export type SuspectEnding =
  | { how: 'done'; failure?: string | undefined }
  | { how: 'died'; at: string | undefined; isSure: boolean }
  | { how: 'untouched' }

/** The messages between the two processes. */
export type ToChild = { drive: Unit } | 'stop'
export type FromChild =
  | { ready: true }
  | { alive: true }
  | { took: string; at?: string | undefined }
  | { done: string; taken: boolean; failure?: string | undefined }

export interface SuspectChild {
  /** False when it ended before it was ready. */
  ready: Promise<boolean>
  isReady(): boolean
  drive(unit: Unit): Promise<SuspectEnding>
  exited: Promise<{ code: number | null; signal: string | null }>
  stop(): Promise<void>
}

/** A process that works on a unit and is silent for this long hangs. It is killed, which counts as a death. */
const usualSilentMs = 15_000
/** How long a process may take to start, on a busy machine. */
const startMs = 60_000
/** How often the working process says that it is alive. */
export const aliveEveryMs = 1000
const heapMinMb = 256

/** The child may use half of what this process may use: work that needs more ends the child before the operating system ends both. */
function heapMaxMb(): number {
  const machine = process.constrainedMemory() || totalmem()
  const most = Math.min(getHeapStatistics().heap_size_limit, machine, totalmem())
  return Math.max(heapMinMb, Math.floor(most / 2 / 1024 / 1024))
}

interface SuspectChildOptions {
  entry: string
  args: string[]
  silentMs?: number
}

type Done = { taken: boolean; failure?: string | undefined }

/** A unit that was given to the process and has not ended. */
interface UnderWay {
  done: (done: Done) => void
  isTaken: boolean
  /** The part that was begun last. */
  at: string | undefined
}

export function openSuspectChild({ entry, args, silentMs = usualSilentMs }: SuspectChildOptions): SuspectChild {
  const child = fork(entry, args, {
    // its log is ours; it must not listen where we do
    env: { ...process.env, PORT: '' },
    execArgv: [...process.execArgv, `--max-old-space-size=${heapMaxMb()}`],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const units = new Map<string, UnderWay>()
  const exited = endOf(child)
  const { promise: started, resolve: begin } = Promise.withResolvers<boolean>()
  const ready = Promise.race([started, exited.then(() => false), sleep(startMs, false, { ref: false })])
  let isReady = false
  let isAsked = false
  let heardAt = performance.now()
  child.on('message', (message: FromChild) => {
    heardAt = performance.now()
    if ('ready' in message) begin((isReady = true))
    if ('took' in message) Object.assign(units.get(message.took) ?? {}, { isTaken: true, at: message.at })
    if ('done' in message) units.get(message.done)?.done(message)
  })
  void ready.then((hasStarted) => hasStarted || child.kill('SIGKILL'))
  const watchdog = setInterval(() => {
    if (units.size > 0 && performance.now() - heardAt > silentMs) child.kill('SIGKILL')
  }, aliveEveryMs)
  void exited.then(() => clearInterval(watchdog))

  /** Says how a unit ended when the process did. It is called for all units before the first of them is removed from the list. */
  function endingOf(unit: UnderWay): SuspectEnding {
    // a process that we asked to stop did not die over its work
    if (!unit.isTaken || isAsked) return { how: 'untouched' }
    const together = [...units.values()].filter(({ isTaken }) => isTaken).length
    return { how: 'died', at: unit.at, isSure: together === 1 }
  }

  return {
    ready,
    isReady: () => isReady,
    exited,
    async drive(unit) {
      const done = Promise.withResolvers<Done>()
      const mine: UnderWay = { done: done.resolve, isTaken: false, at: undefined }
      if (units.size === 0) heardAt = performance.now()
      units.set(unit.id, mine)
      if (child.connected) child.send({ drive: unit } satisfies ToChild, channelMayBeClosed)
      const ending = await Promise.race([done.promise, exited.then(() => endingOf(mine))])
      units.delete(unit.id)
      if ('how' in ending) return ending
      const isOver = ending.taken && !(isAsked && ending.failure !== undefined)
      return isOver ? { how: 'done', failure: ending.failure } : { how: 'untouched' }
    },
    async stop() {
      isAsked = true
      if (child.connected) child.send('stop' satisfies ToChild, channelMayBeClosed)
      await exited
    },
  }
}

/** The process may end while we write to it: its end is what counts. */
function channelMayBeClosed(): void {}

/** How long the last messages of the process may take to arrive after its end. */
const lastWordsMs = 1000

/** Resolves at the end of the process, after all its messages have arrived: then it is known who took what. */
const endOf = (child: ChildProcess) =>
  new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once('exit', (code, signal) => {
      const tell = () => resolve({ code, signal })
      if (!child.connected) return tell()
      child.once('disconnect', tell)
      // one turn of the event loop more: after a pause of this process they are in the channel, and timers come before it
      setTimeout(() => setImmediate(tell), lastWordsMs).unref()
    })
    child.once('error', () => resolve({ code: null, signal: null }))
  })
