// One just-bash child as the service sees it: started with next to no rights, spoken to by lines, killed at will.
import { spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import type { Duplex, Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { Log } from '../../base/log.ts'
import { boundedText } from './boundedText.ts'
import { childFlags } from './childFlags.ts'
import type { HostFetch } from './hostFetch.ts'
import { fetchLineBytesMax, type ChildSettings, type Heard, type ToChild } from './justBashProtocol.ts'
import { readJsonLines, writeJsonLine } from './jsonLines.ts'
import { lowerPriority } from './lowerPriority.ts'
import type { Command, Executed, Limits } from './sandbox.ts'

const childFile = fileURLToPath(new URL('justBashChild.ts', import.meta.url))
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
  run(command: Command): Promise<{ executed: Pick<Executed, 'exit_code' | 'stdout' | 'stderr' | 'truncated'> }>
  kill(): Promise<void>
  /** The end of what it wrote to stderr: for the log, when it died. */
  lastWords(): string
}

interface JustBashProcessOptions {
  folder: string
  limits: Limits
  hostFetch: HostFetch | null
  log: Log
}

export function startJustBash({ limits, hostFetch, log, ...options }: JustBashProcessOptions): JustBashProcess {
  // permissions are for real paths: through a link on the way nothing would be allowed
  const folder = realpathSync(options.folder)
  const { memoryBytesMax, fileBytesMax } = limits
  const settings: ChildSettings = { folder, hasNetwork: hostFetch !== null, memoryBytesMax, fileBytesMax }
  const child = spawn(process.execPath, [...childFlags(folder), childFile, JSON.stringify(settings)], {
    cwd: folder,
    env: {},
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  })
  lowerPriority(child.pid, log)
  const channel = child.stdio[3] as Duplex
  const lastWords = keepEnd(child.stderr!)
  const life = new AbortController()
  const started = Promise.withResolvers<void>()
  let running: Running | null = null
  let fetching = 0
  let end: End | null = null

  const over = Promise.withResolvers<End>()
  function finish(code: number | null, signal: NodeJS.Signals | null): void {
    end = { code, signal }
    life.abort(new Error('the shell is gone'))
    started.reject(new Error(`a just-bash child did not start: ${lastWords() || `it ended with ${code ?? signal}`}`))
    over.resolve(end)
  }
  child.once('exit', finish)
  child.once('error', (error) => {
    if (child.pid !== undefined) return
    log.error({ err: error }, 'a just-bash child cannot be started')
    finish(null, null)
  })
  const startTimer = setTimeout(() => child.kill('SIGKILL'), startMs)
  // whoever opens a shell need not run a command: then nobody waits for this
  started.promise.catch(() => {}).finally(() => clearTimeout(startTimer))

  // What was not asked for is a sign that something else than our code speaks there.
  function hear(message: Partial<Heard> | null): void {
    if (message?.ready === true) started.resolve()
    else if (isExecuted(message?.executed) && running !== null) answer(running, message.executed)
    else if (message?.fetch && hostFetch !== null && fetching < fetchesMax) void fetchFor(hostFetch, message.fetch)
    else child.kill('SIGKILL')
  }

  function answer({ command, resolve }: Running, executed: Heard['executed']): void {
    running = null
    // bounded once more: what a child says of itself is not believed
    const [stdout, stderr] = [executed.stdout, executed.stderr].map((text) =>
      boundedText(Buffer.from(text, 'base64'), command.outputBytesMax),
    )
    resolve({
      executed: {
        exit_code: executed.exit_code & 0xff,
        stdout: stdout!.text,
        stderr: stderr!.text,
        truncated: executed.truncated || stdout!.truncated || stderr!.truncated,
      },
    })
  }

  async function fetchFor(fetchWanted: HostFetch, { id, ...wanted }: Heard['fetch']): Promise<void> {
    fetching += 1
    const reply = await fetchWanted(wanted, life.signal)
    fetching -= 1
    if (end === null) send({ fetched: { id, answer: reply } })
  }

  const send = (message: ToChild): void => writeJsonLine(channel, message)
  readJsonLines({
    stream: channel,
    lineBytesMax: fetchLineBytesMax,
    onValue: (value) => hear(value as Partial<Heard> | null),
    onNonsense: () => child.kill('SIGKILL'),
  })
  // a write to a child that has just died: its end is told by `over`
  channel.on('error', () => {})

  return {
    pid: child.pid ?? 0,
    ready: started.promise,
    over: over.promise,
    isOver: () => end !== null,
    run(command) {
      const { promise, resolve } = Promise.withResolvers<Answer>()
      running = { command, resolve }
      const { language, code, outputBytesMax } = command
      send({ exec: { language, code, outputBytesMax } })
      return promise
    },
    async kill() {
      running = null
      child.kill('SIGKILL')
      await over.promise
      channel.destroy()
    },
    lastWords,
  }
}

type Answer = Awaited<ReturnType<JustBashProcess['run']>>

interface Running {
  command: Command
  resolve: (value: Answer) => void
}

/** The types say it already, but they were not asked of the child. */
function isExecuted(value: Heard['executed'] | undefined): value is Heard['executed'] {
  const { exit_code, stdout, stderr, truncated } = (value ?? {}) as Partial<Record<keyof Heard['executed'], unknown>>
  const isText = typeof stdout === 'string' && typeof stderr === 'string'
  return isText && typeof exit_code === 'number' && typeof truncated === 'boolean'
}

function keepEnd(stream: Readable): () => string {
  let end = ''
  stream.setEncoding('utf8').on('data', (text: string) => {
    end = (end + text).slice(-2000)
  })
  return () => end.trim()
}
