// The command line: finds the command, reads what was typed, and turns what happens into lines and an exit code.
import { parseArgs } from 'node:util'
import { commands } from './commands.ts'
import { exit, Interrupted, UsageError, type Call, type Command, type Options } from './command.ts'
import type { Flags } from './connect.ts'
import { helpFor, helpForAll, usageOf } from './help.ts'
import { serve } from './machineCommands.ts'
import { harmlessLines, outputOf, takenFrom } from './output.ts'
import { sharedOptions } from './sharedOptions.ts'

interface Streams {
  stdout: Parameters<typeof outputOf>[0]['stdout']
  stderr: Parameters<typeof outputOf>[0]['stderr']
  stdin?: NodeJS.ReadStream
}

/** Reports what went wrong as one line. What the service itself reports when it cannot start is thrown. */
export async function runAndReport(
  words: string[],
  env: NodeJS.ProcessEnv,
  streams: Streams = process,
): Promise<number> {
  const ending = endingFor(words)
  try {
    return await reported(words, env, streams, ending)
  } finally {
    ending.done()
  }
}

async function reported(words: string[], env: NodeJS.ProcessEnv, streams: Streams, ending: Ending): Promise<number> {
  try {
    return await runCommandLine(words, env, streams, ending)
  } catch (error) {
    if (isOfService(error, words)) throw error
    const { sentenceFor, exitCodeFor } = await import('./failures.ts')
    const { wrapped } = await import('./help.ts')
    const sentence = harmlessLines(sentenceFor(error))
    streams.stderr.write(`${streams.stderr.isTTY ? wrapped(sentence) : sentence}\n`)
    return exitCodeFor(error)
  }
}

/** Wrong settings, and whatever ends the service, are reported as `npm start` does. */
const isOfService = (error: unknown, words: string[]): boolean =>
  (error as Error).constructor.name === 'ConfigError' ||
  ((words.length === 0 || words[0] === 'serve') && !(error instanceof UsageError))

export async function runCommandLine(
  words: string[],
  env: NodeJS.ProcessEnv,
  streams: Streams,
  { signal, endAfter }: Ending = endingWith(withoutSignals),
): Promise<number> {
  const [first] = words
  const print = (text: string): number => (streams.stdout.write(`${text}\n`), exit.done)
  if (first === 'help' || first === '--help' || first === '-h') return print(helpOn(words.slice(1)))
  if (first === '--version') {
    const { runyardVersion } = await import('../../server/src/base/version.ts')
    return print(runyardVersion)
  }
  const found = first === undefined ? serve : commandIn(words)
  if (!found) throw new UsageError(unknownCommand(words))
  const command = (await found.narrowed?.(words.slice(found.words.split(' ').length))) ?? found
  const typed = readWords(command, first === undefined ? [] : words.slice(command.words.split(' ').length))
  if (typed === 'help') return print(helpFor(command, sharedOptions))
  const out = outputOf({ json: typed.shared.json ?? false, csv: typed.shared.csv ?? false, env, signal, ...streams })
  const stdin = (): NodeJS.ReadStream => streams.stdin ?? process.stdin
  return (await runTyped(command, typed, { env, out, stdin, signal, endAfter })) ?? exit.done
}

function helpOn(words: string[]): string {
  if (words.length === 0) return helpForAll(commands, sharedOptions)
  const asked = commandIn(words)
  if (asked) return helpFor(asked, sharedOptions)
  const below = commands.filter((one) => one.words.startsWith(`${words.join(' ')} `))
  if (below.length === 0) throw new UsageError(unknownCommand(words))
  return below.map((one) => `  runyard ${usageOf(one)}\n      ${one.says}`).join('\n')
}

/** The one with the most words: `runs show` goes before `runs`. */
function commandIn(words: string[]): Command | undefined {
  return commands
    .filter((one) => one.words.split(' ').every((word, index) => words[index] === word))
    .toSorted((a, b) => b.words.length - a.words.length)[0]
}

function unknownCommand(words: string[]): string {
  const named = words.filter((word) => !word.startsWith('-')).slice(0, 2)
  const first = named[0] ?? ''
  const below = commands.filter((one) => one.words.startsWith(`${first} `)).map((one) => one.words)
  const near = below.length > 0 ? below : commands.map((one) => one.words).filter((one) => isNear(one, first))
  const hint = near.length > 0 ? `Did you mean ${near.join(', ')}? ` : ''
  return `There is no command "${named.join(' ')}". ${hint}runyard help lists them all.`
}

const letters = (text: string): string => text.replaceAll(' ', '').split('').toSorted().join('')

/** The same letters but for one or two: added, lost, changed or swapped. */
function isNear(one: string, other: string): boolean {
  return (
    other.length > 2 &&
    (one.startsWith(other) || letters(one) === letters(other) || one.slice(0, 3) === other.slice(0, 3))
  )
}

interface Typed {
  values: object
  positionals: string[]
  shared: Flags & { json?: boolean; csv?: boolean }
}

function readWords(command: Command, args: string[]): Typed | 'help' {
  const options = { ...sharedOptions, ...command.options } as Options
  let parsed
  try {
    parsed = parseArgs({
      args,
      options: Object.fromEntries(
        Object.entries(options).map(([name, { type, short, multiple }]) => [
          name,
          { type, ...(short && { short }), ...(multiple && { multiple }) },
        ]),
      ),
      allowPositionals: true,
    })
  } catch (error) {
    const [sentence] = (error as Error).message.split(/\. (?:To specify|Did you)/)
    throw new UsageError(`${sentence}. It takes: runyard ${usageOf(command)}`, { cause: error })
  }
  const { help, url, team, profile, json, csv, ...values } = parsed.values as Record<string, string & boolean>
  if (help) return 'help'
  requirePositionals(command, parsed.positionals)
  const given = Object.fromEntries(
    Object.entries({ url, team, profile, json, csv }).filter(([, value]) => value !== undefined),
  )
  const own = Object.fromEntries(
    Object.keys(command.options).flatMap((name) => (name in sharedOptions ? [[name, given[name]]] : [])),
  )
  return {
    values: { ...values, ...own },
    positionals: parsed.positionals,
    shared: command.hidesShared ? Object.fromEntries(Object.entries(given).filter(([name]) => !(name in own))) : given,
  }
}

function requirePositionals(command: Command, given: string[]): void {
  const { positionals } = command
  const least = positionals.filter((name) => !name.startsWith('[')).length
  const most = positionals.some((name) => name.includes('…')) ? Infinity : positionals.length
  if (given.length < least || given.length > most) throw new UsageError(`It takes: runyard ${usageOf(command)}`)
}

type Around = Pick<Call, 'env' | 'out' | 'stdin' | 'signal' | 'endAfter'>

async function runTyped(command: Command, typed: Typed, around: Around): Promise<number | void> {
  const { env, signal } = around
  const { values, positionals, shared } = typed
  const target = async () => (await import('./connect.ts')).findTarget(shared, env, process.cwd())
  const service = async () => {
    const [{ Runyard }, { baseUrl, apiKey, teamId }] = await Promise.all([import('../../sdk/src/index.ts'), target()])
    return new Runyard({ baseUrl, apiKey, ...(teamId !== undefined && { teamId }) })
  }
  const call: Call = { ...around, values, positionals, target, service }
  try {
    return await command.run(call as Call<never>)
  } catch (error) {
    throw signal.aborted && !(error instanceof Interrupted) ? new Interrupted('Interrupted.', { cause: error }) : error
  }
}

/** What ends a command that is not done: somebody, or its own time. */
interface Ending extends Pick<Call, 'signal' | 'endAfter'> {
  /** Aborted when the time is over that the command has. */
  late: AbortSignal
  done: () => void
}

const endingFor = (words: string[]): Ending =>
  endingWith((words.length === 0 ? serve : commandIn(words))?.ownSignals ? withoutSignals : abortedByHand())

function endingWith(byHand: Pick<Ending, 'signal' | 'done'>): Ending {
  const late = new AbortController()
  const endAfter = (ms: number): AbortSignal => {
    setTimeout(() => late.abort(), ms).unref()
    return late.signal
  }
  return { ...byHand, late: late.signal, endAfter }
}

const withoutSignals = { signal: new AbortController().signal, done: () => undefined }

/**
 * The first signal asks to stop cleanly, which leaves no server and no half file behind; the second does not wait. The end of
 * whoever started us, or reads what we print, asks for the same.
 */
function abortedByHand(): Pick<Ending, 'signal' | 'done'> {
  const controller = new AbortController()
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  let isAsked = false
  const ask = () => {
    if (isAsked) process.exit(exit.interrupted)
    isAsked = true
    controller.abort()
  }
  const abort = () => controller.abort()
  for (const name of names) process.on(name, ask)
  process.on('disconnect', abort)
  return {
    signal: controller.signal,
    done() {
      for (const name of names) process.off(name, ask)
      process.off('disconnect', abort)
    },
  }
}

/**
 * Who reads our output may stop reading, as `head` does. Where only data was asked for, that is not a failure. What acts by itself, or
 * says on stderr what it does, is asked to stop, leaves all in order, and says by its exit code whether it was done.
 */
function heedReaders(words: string[]): void {
  // with the code of a command that has ended
  whenClosed(process.stdout, commandIn(words)?.endsWithReader ? () => process.exit() : stop)
  whenClosed(process.stderr, stop)
}

function whenClosed(stream: NodeJS.WriteStream, heed: () => void): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    heed()
  })
}

/** The service too takes this for the end of whoever started it. A signal could count as the second one, which waits for nothing. */
const stop = (): void => void process.emit('disconnect')

export async function main(): Promise<void> {
  const words = process.argv.slice(2)
  heedReaders(words)
  const ending = endingFor(words)
  try {
    process.exitCode = await reported(words, process.env, process, ending)
    // a pipe holds 64 KiB: the rest is still here, and would go with the process
    const ended = AbortSignal.any([ending.signal, ending.late])
    const taken = await Promise.all([process.stdout, process.stderr].map((stream) => takenFrom(stream, ended)))
    if (taken.includes('stopped')) process.exitCode = ending.signal.aborted ? exit.interrupted : exit.timeout
    process.exit()
  } catch (error) {
    const { exitWith } = await import('../../server/src/main.ts')
    exitWith(error)
  }
}

if (import.meta.main) await main()
