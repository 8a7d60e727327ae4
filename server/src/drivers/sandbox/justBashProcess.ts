// One just-bash child as the service sees it: started with almost no rights, controlled by lines of JSON, killed at any time.
import { spawn, type ChildProcess } from 'node:child_process'
import { realpathSync } from 'node:fs'
import type { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { besideFile } from '../../base/besideFile.ts'
import { pipeOf } from '../../base/pipeOf.ts'
import type { Log } from '../../base/log.ts'
import { boundedText } from './boundedText.ts'
import { childFlags } from './childFlags.ts'
import type { HostFetch } from './hostFetch.ts'
import { fetchLineBytesMax, type ChildSettings, type ChildMessages, type ToChild } from './justBashProtocol.ts'
import { readJsonLines, writeJsonLine } from './jsonLines.ts'
import { lastWords } from './lastWords.ts'
import { lowerPriority, type CommandPriority } from './lowerPriority.ts'
import type { Command, Executed, CommandLimits, ShellFolders } from './sandbox.ts'

const childFile = fileURLToPath(besideFile('justBashChild', import.meta.url))
/** A machine whose cores are all taken starts a process of low priority late. */
const startMs = 120_000
/** just-bash waits for one request before it makes the next; pipes and background commands make a few. */
const fetchesMax = 32

interface End {
  code: number | null
  signal: NodeJS.Signals | null
}

export interface JustBashProcess {
  pid: number
  /** Rejects if it cannot be started. */
  ready: Promise<void>
  /** Resolves when it has ended, however that came. */
  over: Promise<End>
  isOver(): boolean
  priority: CommandPriority
  run(command: Command): Promise<{ executed: Pick<Executed, 'exit_code' | 'stdout' | 'stderr' | 'truncated'> }>
  kill(): Promise<void>
  /** The end of what it wrote to stderr: for the log, when it died. */
  lastWords(): string
}

interface JustBashProcessOptions extends ShellFolders {
  limits: CommandLimits
  hostFetch: HostFetch | null
  log: Log
}

type Answer = Awaited<ReturnType<JustBashProcess['run']>>

interface Running {
  command: Command
  resolve: (value: Answer) => void
}

/** A child with its channel, and what is under way in it. */
interface Child {
  process: ChildProcess
  channel: Duplex
  hostFetch: HostFetch | null
  lastWords: () => string
  /** Aborted when the child has ended. */
  life: AbortController
  started: PromiseWithResolvers<void>
  over: PromiseWithResolvers<End>
  end: End | null
  running: Running | null
  fetching: number
}

export function startJustBash({ limits, hostFetch, log, ...options }: JustBashProcessOptions): JustBashProcess {
  const { folder, laid } = options
  const folders = { folder: realpathSync(folder), laid: laid === undefined ? undefined : realpathSync(laid) }
  const child = spawnChild(folders, limits, hostFetch)
  const { process: spawned, channel, started, over } = child
  const priority = lowerPriority(spawned, log)
  spawned.once('exit', (code, signal) => finish(child, { code, signal }))
  spawned.once('error', (error) => {
    if (spawned.pid !== undefined) return
    log.error({ err: error }, 'a just-bash child cannot be started')
    finish(child, { code: null, signal: null })
  })
  const startTimer = setTimeout(() => spawned.kill('SIGKILL'), startMs)
  // a shell may be opened without a command: then nobody waits for this
  started.promise.catch(() => {}).finally(() => clearTimeout(startTimer))
  readJsonLines({
    stream: channel,
    lineBytesMax: fetchLineBytesMax,
    onValue: (value) => hear(child, value as Partial<ChildMessages> | null),
    onNonsense: () => spawned.kill('SIGKILL'),
  })
  // a write to a child that has just died: `over` reports its end
  channel.on('error', () => {})
  return {
    pid: spawned.pid ?? 0,
    ready: started.promise,
    over: over.promise,
    isOver: () => child.end !== null,
    priority,
    run: (command) => runIn(child, command),
    async kill() {
      child.running = null
      spawned.kill('SIGKILL')
      await over.promise
      channel.destroy()
    },
    lastWords: child.lastWords,
  }
}

/** The folders must be real paths without links: Node's permissions apply to real paths, so a path with a link would allow nothing. */
function spawnChild(
  { folder, laid }: ShellFolders,
  { memoryBytesMax, fileBytesMax }: CommandLimits,
  hostFetch: HostFetch | null,
): Child {
  const settings: ChildSettings = { folder, laid, hasNetwork: hostFetch !== null, memoryBytesMax, fileBytesMax }
  const spawned = spawn(process.execPath, [...childFlags(folder, laid), childFile, JSON.stringify(settings)], {
    cwd: folder,
    env: {},
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    detached: true,
  })
  return {
    process: spawned,
    channel: pipeOf(spawned, 3),
    hostFetch,
    lastWords: lastWords(pipeOf(spawned, 2)),
    life: new AbortController(),
    started: Promise.withResolvers(),
    over: Promise.withResolvers(),
    end: null,
    running: null,
    fetching: 0,
  }
}

function finish(child: Child, end: End): void {
  child.end = end
  child.life.abort(new Error('the shell is gone'))
  const why = child.lastWords() || `it ended with ${end.code ?? end.signal}`
  child.started.reject(new Error(`a just-bash child did not start: ${why}`))
  child.over.resolve(end)
}

const send = ({ channel }: Child, message: ToChild): void => writeJsonLine(channel, message)

/** A message that was not asked for shows that something else than our code is sending. */
function hear(child: Child, message: Partial<ChildMessages> | null): void {
  const { running, hostFetch } = child
  if (message?.ready === true) child.started.resolve()
  else if (isExecuted(message?.executed) && running !== null) answer(child, running, message.executed)
  else if (message?.fetch && hostFetch !== null && child.fetching < fetchesMax) {
    void fetchFor(child, hostFetch, message.fetch)
  } else child.process.kill('SIGKILL')
}

function answer(child: Child, { command, resolve }: Running, executed: ChildMessages['executed']): void {
  child.running = null
  // bounded once more, because what a child reports is not trusted
  const bounded = (text: string) => boundedText(Buffer.from(text, 'base64'), command.outputBytesMax)
  const stdout = bounded(executed.stdout)
  const stderr = bounded(executed.stderr)
  resolve({
    executed: {
      exit_code: executed.exit_code & 0xff,
      stdout: stdout.text,
      stderr: stderr.text,
      truncated: executed.truncated || stdout.truncated || stderr.truncated,
    },
  })
}

async function fetchFor(child: Child, hostFetch: HostFetch, { id, ...wanted }: ChildMessages['fetch']): Promise<void> {
  child.fetching += 1
  const reply = await hostFetch(wanted, child.life.signal)
  child.fetching -= 1
  if (child.end === null) send(child, { fetched: { id, answer: reply } })
}

function runIn(child: Child, command: Command): Promise<Answer> {
  const { promise, resolve } = Promise.withResolvers<Answer>()
  child.running = { command, resolve }
  const { language, code, env = {}, outputBytesMax } = command
  send(child, { exec: { language, code, env, outputBytesMax } })
  return promise
}

/** The types promise this, but the child may send anything. */
function isExecuted(value: ChildMessages['executed'] | undefined): value is ChildMessages['executed'] {
  const { exit_code, stdout, stderr, truncated } = (value ?? {}) as Partial<
    Record<keyof ChildMessages['executed'], unknown>
  >
  const isText = typeof stdout === 'string' && typeof stderr === 'string'
  return isText && typeof exit_code === 'number' && typeof truncated === 'boolean'
}
