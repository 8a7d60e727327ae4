// A process of its own for work that other processes died over: whoever asks for it lives on, and learns for sure what killed what.
import { fork, type ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../base/log.ts'

/** One piece of work: its kind, its id, and what else the process that does it must know of it. */
export interface Unit {
  kind: string
  id: string
  epoch: number
}

/** `done`: it has come forward, waits, or has ended. `died`: its process died over it. `untouched`: no process took it. */
export type AloneEnding = 'done' | 'died' | 'untouched'

export interface Alone {
  /** One at a time: whoever asks meanwhile hears `untouched` at once. */
  drive(unit: Unit): Promise<AloneEnding>
  isBusy(): boolean
  stop(): Promise<void>
}

/** What the two processes tell each other. */
export type ToChild = { drive: Unit } | 'stop'
export type FromChild = { ready: true } | { alive: true } | { took: string } | { done: string; taken: boolean }

/** A process that works on a unit and is silent for this long hangs: it is killed, and that is a death like any other. */
const silentMs = 15_000
/** What a process may take to start, on a busy machine. */
const startMs = 60_000
/** It stays for so long after its last unit: the next one need not wait for its start. */
const idleMs = 5000
/** How often the process that works says that it does. */
export const aliveEveryMs = 1000

interface AloneOptions {
  log: Log
  /** The file and the arguments that start such a process. */
  entry: string
  args: string[]
}

export function startAlone({ log, entry, args }: AloneOptions): Alone {
  let child: Child | undefined
  let driving: Promise<AloneEnding> | undefined
  let idle: NodeJS.Timeout | undefined
  let stopping = false

  async function driveIn(unit: Unit): Promise<AloneEnding> {
    clearTimeout(idle)
    child ??= openChild(entry, args)
    const mine = child
    const ending = await mine.drive(unit)
    if (ending === 'died') {
      log.error(
        { kind: unit.kind, id: unit.id, ...(await mine.exited) },
        'a process that did nothing else died over this work',
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
    isBusy: () => driving !== undefined || stopping,
    async drive(unit) {
      if (driving || stopping) return 'untouched'
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
  stop(): Promise<void>
}

function openChild(entry: string, args: string[]): Child {
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
      return 'untouched'
    }
    const ended = heard.unit(unit.id)
    tell(sent)
    const watchdog = setInterval(() => {
      if (heard.silentForMs() > silentMs) child.kill('SIGKILL')
    }, aliveEveryMs)
    try {
      const how = await Promise.race([ended.done, heard.exited.then(() => undefined)])
      if (how !== undefined) return how ? 'done' : 'untouched'
      // one that was told to stop did not die over its work
      return ended.isTaken() && !isAsked ? 'died' : 'untouched'
    } finally {
      clearInterval(watchdog)
    }
  }

  return {
    drive,
    exited: heard.exited,
    isGone: () => child.exitCode !== null || child.signalCode !== null,
    async stop() {
      isAsked = true
      tell('stop')
      await heard.exited
    },
  }
}

function listenTo(child: ChildProcess) {
  const ready = Promise.withResolvers<boolean>()
  const exited = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
    child.once('error', () => resolve({ code: null, signal: null }))
  })
  const taken = new Set<string>()
  const waiting = new Map<string, (isTaken: boolean) => void>()
  let heardAt = performance.now()
  child.on('message', (message: FromChild) => {
    heardAt = performance.now()
    if ('ready' in message) ready.resolve(true)
    if ('took' in message) taken.add(message.took)
    if ('done' in message) waiting.get(message.done)?.(message.taken)
  })
  return {
    ready: ready.promise,
    exited,
    silentForMs: () => performance.now() - heardAt,
    unit(id: string) {
      const done = Promise.withResolvers<boolean>()
      taken.delete(id)
      heardAt = performance.now()
      waiting.set(id, done.resolve)
      return { done: done.promise, isTaken: () => taken.has(id) }
    },
  }
}
