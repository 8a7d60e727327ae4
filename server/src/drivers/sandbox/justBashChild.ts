// The just-bash child: a process of its own that runs one command after the other and can be killed at any moment.
import { Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { Bash, type BashExecResult, type BashOptions } from 'just-bash'
import { besideFile } from '../../base/besideFile.ts'
import { boundedText } from './boundedText.ts'
import {
  fetchLineBytesMax,
  outputBytesHeldMax,
  type ChildSettings,
  type FetchAnswer,
  type FetchWanted,
  type ChildMessages,
  type ToChild,
} from './justBashProtocol.ts'
import { readJsonLines, writeJsonLine } from './jsonLines.ts'
import { workspaceFiles } from './workspaceFiles.ts'

type SecureFetch = NonNullable<BashOptions['fetch']>
type Exec = Extract<ToChild, { exec: unknown }>['exec']

// Each Python command loads the interpreter again, and most end before its optimised code would pay: ten times V8's usual budget
// (measured: print(1) takes 1.05 s of CPU instead of 1.25 s).
setFlagsFromString('--wasm-tiering-budget=130000000')

const settings = JSON.parse(process.argv[2] ?? '') as ChildSettings
const channel = new Socket({ fd: 3 })
const tell = (message: Partial<ChildMessages>): void => writeJsonLine(channel, message)
const mebibyte = 1024 * 1024
const manyTimes = 1_000_000_000
const longMs = 24 * 3600 * 1000

// The service limits time and memory by killing the process; counting steps would only stop honest work. Limited here is what could use the
// whole memory in one step.
const executionLimits: NonNullable<BashOptions['executionLimits']> = {
  maxOutputSize: outputBytesHeldMax,
  maxStringLength: 32 * mebibyte,
  maxHeredocSize: 32 * mebibyte,
  maxCommandCount: manyTimes,
  maxLoopIterations: manyTimes,
  maxAwkIterations: manyTimes,
  maxSedIterations: manyTimes,
  maxJqIterations: manyTimes,
  maxWorkUnits: manyTimes,
  maxExecutionTimeMs: longMs,
  maxPythonTimeoutMs: longMs,
  maxJsTimeoutMs: longMs,
  maxSqliteTimeoutMs: longMs,
}

const fetches = new Map<number, (answer: FetchAnswer) => void>()
let fetchCount = 0

/** The service makes the request; redirects come back one by one, so that each of them is checked. */
const fetchByService: SecureFetch = async (address, options = {}) => {
  let wanted: FetchWanted = {
    url: address,
    method: options.method ?? 'GET',
    headers: Object.fromEntries(new Headers(options.headers).entries()),
    body: options.body === undefined ? null : Buffer.from(options.body).toString('base64'),
  }
  for (let hops = 0; hops <= Math.min(options.maxRedirects ?? 20, 20); hops += 1) {
    const answer = await askService(wanted)
    if ('refused' in answer) throw new Error(answer.refused)
    const { status, headers } = answer
    const location = [301, 302, 303, 307, 308].includes(status) ? headers['location'] : undefined
    if (location === undefined || options.followRedirects === false) {
      return {
        status,
        statusText: '',
        headers,
        body: new Uint8Array(Buffer.from(answer.body, 'base64')),
        url: wanted.url,
      }
    }
    wanted = redirected(wanted, status, new URL(location, wanted.url))
  }
  throw new Error(`${address} redirects too often.`)
}

/** RFC 9110 §15.4: 307 and 308 repeat the request, the others read. Headers are for the host they were given for. */
function redirected(wanted: FetchWanted, status: number, to: URL): FetchWanted {
  const isRepeated = status === 307 || status === 308 || wanted.method === 'HEAD'
  return {
    url: to.href,
    method: isRepeated ? wanted.method : 'GET',
    headers: to.origin === new URL(wanted.url).origin ? wanted.headers : {},
    body: isRepeated ? wanted.body : null,
  }
}

async function askService(wanted: FetchWanted): Promise<FetchAnswer> {
  if ((wanted.body?.length ?? 0) > fetchLineBytesMax / 2) throw new Error('The body of the request is too large.')
  const { promise, resolve } = Promise.withResolvers<FetchAnswer>()
  fetchCount += 1
  fetches.set(fetchCount, resolve)
  tell({ fetch: { id: fetchCount, ...wanted } })
  return promise
}

/** Where just-bash shows its files to Python: else the modules of the workspace could not be imported. */
const findsModules = "import sys; sys.path.insert(0, '/host/workspace')"

async function run({ language, code, env }: Exec): Promise<BashExecResult> {
  const bash = new Bash({
    fs: workspaceFiles(settings),
    cwd: '/workspace',
    env: { HOME: '/tmp', ...env },
    python: true,
    javascript: true,
    executionLimits,
    ...(settings.hasNetwork && { fetch: fetchByService }),
  })
  if (language === 'bash') return bash.exec(code, { rawScript: true })
  if (language === 'js') return bash.exec('js-exec', { args: ['-c', code] })
  return bash.exec('python3', { args: ['-c', `${findsModules}\n${code}`] })
}

type Outcome = Pick<BashExecResult, 'stdout' | 'stderr' | 'exitCode'>

/** A redirection that the file system refuses (a link that leads out) is thrown by just-bash: the command has failed. */
async function outcomeOf(wanted: Exec): Promise<Outcome> {
  try {
    return await run(wanted)
  } catch (error) {
    return { stdout: '', stderr: `bash: ${error instanceof Error ? error.message : String(error)}\n`, exitCode: 1 }
  }
}

async function execute(wanted: Exec): Promise<void> {
  const { stdout, stderr, exitCode } = await outcomeOf(wanted)
  const bounded = (text: string) => boundedText(Buffer.from(text), wanted.outputBytesMax)
  const out = bounded(stdout)
  const err = bounded(stderr)
  tell({
    executed: {
      exit_code: exitCode,
      stdout: Buffer.from(out.text).toString('base64'),
      stderr: Buffer.from(err.text).toString('base64'),
      truncated: out.truncated || err.truncated,
    },
  })
}

function obey(message: ToChild): void {
  if ('exec' in message) {
    void execute(message.exec)
    return
  }
  const { id, answer } = message.fetched
  fetches.get(id)?.(answer)
  fetches.delete(id)
}

readJsonLines({
  stream: channel,
  lineBytesMax: Math.max(fetchLineBytesMax, 256 * mebibyte),
  onValue: (value) => obey(value as ToChild),
  onNonsense: () => process.exit(1),
})
channel.on('close', () => process.exit(0))
const watchdog = new Worker(besideFile('justBashWatchdog', import.meta.url), {
  workerData: { parent: process.ppid, memoryBytesMax: settings.memoryBytesMax },
})
watchdog.once('online', () => tell({ ready: true }))
