// Programs of ours in processes of their own: started, awaited until they are ready, and ended by a signal.
import { spawn, type ChildProcess } from 'node:child_process'

export interface Program {
  child: ChildProcess
  pid: number
  /** What it printed when it was ready. */
  box: string
  /** The latest that it wrote to stderr. */
  log(): string
  /** The exit code, or the name of the signal, when it comes. */
  exited: Promise<number | string>
  /** Sends the signal and gives the exit code (or the signal's name). */
  stop(signal?: NodeJS.Signals): Promise<number | string>
}

export interface ProgramOptions {
  entry: string
  args?: string[]
  env?: NodeJS.ProcessEnv
  /** What it prints when it is ready. */
  readySign: string
  /** Linux shares the processor between sessions: what stands for another machine has one of its own. */
  hasOwnSession?: boolean
  /** It gets a channel to this process, and ends when the channel closes. */
  endsWithUs?: boolean
}

const logCharsMax = 16 * 1024 * 1024

export async function startProgram(options: ProgramOptions): Promise<Program> {
  const { entry, args = [], env = {}, readySign, hasOwnSession = false, endsWithUs = false } = options
  const child = spawn(process.execPath, [entry, ...args], {
    env: { ...process.env, ...env },
    stdio: endsWithUs ? ['ignore', 'pipe', 'pipe', 'ipc'] : ['ignore', 'pipe', 'pipe'],
    detached: hasOwnSession,
  })
  let out = ''
  let err = ''
  const exited = new Promise<number | string>((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? signal!))
    child.once('error', (error) => resolve(error.message))
  })
  child.stderr!.on('data', (chunk: Buffer) => (err = (err + chunk.toString()).slice(-logCharsMax)))
  await new Promise<void>((resolve, reject) => {
    child.stdout!.on('data', (chunk: Buffer) => {
      if (!out.includes(readySign)) out += chunk.toString()
      if (out.includes(readySign)) resolve()
    })
    void exited.then((code) => reject(new Error(`the service ended with ${code}: ${err}`)))
  })
  return {
    child,
    pid: child.pid!,
    box: out,
    log: () => err,
    exited,
    stop(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal)
      return exited
    },
  }
}
