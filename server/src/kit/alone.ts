// A process of its own for work that other processes died over: the caller lives on, and learns for sure which work killed it.
import { fork, type ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../base/log.ts'

/** One piece of work: its kind, its id, and what else the process that does it must know. */
export interface Unit {
  kind: string
  id: string
  epoch: number
}

/**
 * `done`: the unit has advanced, waits, or has ended; `failure` is the error it ended with. `died`: its process died over it, and `at` is the
 * part that was begun last. `untouched`: no process took it, or a process that was told to stop gave it back.
 */
export type AloneEnding =
  | { how: 'done'; failure?: string | undefined }
  | { how: 'died'; at: string | undefined }
  | { how: 'untouched' }

export interface Alone {
  /** Does one unit at a time: a caller that asks meanwhile gets `untouched` at once. */
  drive(unit: Unit): Promise<AloneEnding>
  isBusy(): boolean
  stop(): Promise<void>
}

/** The messages between the two processes. */
export type ToChild = { drive: Unit } | 'stop'
export type FromChild =
  | { ready: true }
  | { alive: true }
  | { took: string; at?: string | undefined }
  | { done: string; taken: boolean; failure?: string | undefined }

/** A process that works on a unit and is silent for this long hangs. It is killed, which counts as a death. */
const usualSilentMs = 15_000
/** The pause after a start that failed. */
const restMs = 5000
/** How long a process may take to start, on a busy machine. */
const startMs = 60_000
/** How long the process stays after its last unit, so that the next one need not wait for a start. */
const idleMs = 5000
/** How often the working process says that it is alive. */
export const aliveEveryMs = 1000

interface AloneOptions {
  log: Log
  /** The file and the arguments that start such a process. */
  entry: string
  args: string[]
  silentMs?: number
}

export function startAlone({ log, entry, args, silentMs = usualSilentMs }: AloneOptions): Alone {
  let child: Child | undefined
  let driving: Promise<AloneEnding> | undefined
  let idle: NodeJS.Timeout | undefined
  let stopping = false
  let restsUntil = 0

  const isBusy = () => driving !== undefined || stopping || performance.now() < restsUntil

  async function driveIn(unit: Unit): Promise<AloneEnding> {
    clearTimeout(idle)
    child ??= openChild(entry, args, silentMs)
    const mine = child
    const ending = await mine.drive(unit)
    if (ending.how === 'died') {
      log.error(
        { kind: unit.kind, id: unit.id, at: ending.at, ...(await mine.exited) },
        'a process that did nothing else died over this work',
      )
    }
    if (ending.how === 'untouched' && !mine.hasStarted() && !stopping) {
      restsUntil = performance.now() + restMs
      log.error(
        { kind: unit.kind, id: unit.id, ...(await mine.exited) },
        'the process for work that others died over does not start; it is tried again',
      )
    }
    if (mine.isGone()) child = undefined
    else idle = setTimeout(() => void close(), idleMs).unref()
    return ending
  }

  async function close(): Promise<void> {
    clearTimeout(idle)
    const mine = child
    child = undefined
    await mine?.stop()
  }

  return {
    isBusy,
    async drive(unit) {
      if (isBusy()) return { how: 'untouched' }
      driving = driveIn(unit).finally(() => (driving = undefined))
      return driving
    },
    async stop() {
      stopping = true
      await close()
      await driving
    },
  }
}

interface Child {
  drive(unit: Unit): Promise<AloneEnding>
  exited: Promise<{ code: number | null; signal: string | null }>
  isGone(): boolean
  hasStarted(): boolean
  stop(): Promise<void>
}

function openChild(entry: string, args: string[], silentMs: number): Child {
  const child = fork(entry, args, {
    // its log is ours; it must not listen where we do
    env: { ...process.env, PORT: '' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const heard = listenTo(child)
  let isAsked = false
  const tell = (message: ToChild) => child.connected && child.send(message)

  async function drive(unit: Unit): Promise<AloneEnding> {
    const sent = { drive: unit }
    const isReady = await Promise.race([
      heard.ready,
      heard.exited.then(() => false),
      sleep(startMs, false, { ref: false }),
    ])
    if (!isReady) {
      child.kill('SIGKILL')
      await heard.exited
      return { how: 'untouched' }
    }
    const ended = heard.unit(unit.id)
    tell(sent)
    const watchdog = setInterval(() => {
      if (heard.silentForMs() > silentMs) child.kill('SIGKILL')
    }, aliveEveryMs)
    try {
      const how = await Promise.race([ended.done, heard.exited.then(() => undefined)])
      // a process that was told to stop neither failed nor died over its work
      if (how !== undefined) {
        const isOver = how.taken && !(isAsked && how.failure !== undefined)
        return isOver ? { how: 'done', failure: how.failure } : { how: 'untouched' }
      }
      return ended.isTaken() && !isAsked ? { how: 'died', at: ended.at() } : { how: 'untouched' }
    } finally {
      clearInterval(watchdog)
    }
  }

  return {
    drive,
    exited: heard.exited,
    isGone: () => child.exitCode !== null || child.signalCode !== null,
    hasStarted: heard.isReady,
    async stop() {
      isAsked = true
      tell('stop')
      await heard.exited
    },
  }
}

type Done = { taken: boolean; failure?: string | undefined }

function listenTo(child: ChildProcess) {
  const ready = Promise.withResolvers<boolean>()
  let isReady = false
  const exited = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
    child.once('error', () => resolve({ code: null, signal: null }))
  })
  /** For each unit that was taken, the part that was begun last. */
  const taken = new Map<string, string | undefined>()
  const waiting = new Map<string, (done: Done) => void>()
  let heardAt = performance.now()
  child.on('message', (message: FromChild) => {
    heardAt = performance.now()
    if ('ready' in message) {
      isReady = true
      ready.resolve(true)
    }
    if ('took' in message) taken.set(message.took, message.at)
    if ('done' in message) waiting.get(message.done)?.(message)
  })
  return {
    ready: ready.promise,
    isReady: () => isReady,
    exited,
    silentForMs: () => performance.now() - heardAt,
    unit(id: string) {
      const done = Promise.withResolvers<Done>()
      taken.delete(id)
      heardAt = performance.now()
      waiting.set(id, done.resolve)
      return { done: done.promise, isTaken: () => taken.has(id), at: () => taken.get(id) }
    },
  }
}
