// What a command of the command line is: its words, its arguments, its description, and its work.
import type { Config } from '../base/config.ts'
import type { Log } from '../base/log.ts'

/** What went wrong, as a sentence for whoever typed the command. */
export class CommandFailed extends Error {}

/** The command was typed wrongly (EX_USAGE of sysexits.h). */
export class UsageError extends Error {}

interface Option {
  type: 'string' | 'boolean'
  /** What stands for the value in the help; absent for a switch. */
  value?: string
  says: string
}

type Options = Record<string, Option>

type Values<O extends Options> = { [Name in keyof O]?: O[Name]['type'] extends 'string' ? string : boolean }

export interface Call<O extends Options = Options> {
  config: Config
  log: Log
  /** The arguments, as many as the command has names for. */
  positionals: string[]
  values: Values<O>
  /** Aborted by the first Ctrl-C or SIGTERM. */
  signal: AbortSignal
  /** A line for people, on stdout. */
  print: (line: string) => void
}

export interface Command<O extends Options = Options> {
  words: string
  positionals: string[]
  options: O
  says: string
  /** The exit code, when it is not 0. */
  run(call: Call<O>): Promise<number | void>
}

type Declared<O extends Options> = Omit<Command<O>, 'positionals' | 'options'> & { positionals?: string[]; options?: O }

export function command<const O extends Options = Record<never, never>>(declared: Declared<O>): Command {
  const { positionals = [], options = {} as O, ...rest } = declared
  return { ...rest, positionals, options }
}
