// What a command is: its words, its arguments, its help, and its work. A declaration loads nothing that only its work needs.
import { CommandFailed, UsageError } from '../../server/src/cli/command.ts'
import type { Runyard } from '../../sdk/src/index.ts'
import type { Target } from './connect.ts'
import type { Output } from './output.ts'

export { CommandFailed, UsageError }

/** Ctrl-C, or a signal to stop. */
export class Interrupted extends CommandFailed {}

export interface Option {
  type: 'string' | 'boolean'
  short?: string
  /** May be given several times. */
  multiple?: true
  /** What stands for the value in the help; absent for a switch. */
  value?: string
  /** The help shows it without brackets; the command itself refuses a line without it. */
  isRequired?: true
  says: string
}

export type Options = Record<string, Option>

type ValueOf<O extends Option> = O['type'] extends 'boolean'
  ? boolean
  : O extends { multiple: true }
    ? string[]
    : string

export type Values<O extends Options> = { [Name in keyof O]?: ValueOf<O[Name]> }

export interface Call<Given extends object = object> {
  positionals: string[]
  values: Given
  env: NodeJS.ProcessEnv
  out: Output
  /** What is typed, or piped in; opened when it is asked for. */
  stdin: () => NodeJS.ReadStream
  /** Aborted by the first Ctrl-C or SIGTERM; the second ends the process. */
  signal: AbortSignal
  /** Gives the command this much time from now on, the wait for whoever reads its output included. The signal is aborted when it is over. */
  endAfter: (ms: number) => AbortSignal
  target: () => Promise<Target>
  /** The client of the service that flags, environment, profile or the local data dir name. */
  service: () => Promise<Runyard>
}

/** What a command works with: the database itself, a running service, or neither. */
export type Needs = 'database' | 'service' | 'nothing'

export interface Command {
  words: string
  /** `NAME`, `[NAME]` when it may be left out, `NAME…` for one or more. */
  positionals: string[]
  options: Options
  needs: Needs
  /**
   * Reads and prints: when nobody reads its stdout any more, it ends at once, and well. Nothing else that it does is under way while it
   * prints. All others are asked to stop, and say by their exit code whether they were done.
   */
  endsWithReader?: true
  /** One sentence. */
  says: string
  /** More about it, for its own help. */
  about?: string
  /** Real lines, without the `$`. */
  examples: string[]
  /** The command that these arguments mean, with options of its own: `call startRun` for `call`. */
  narrowed?: (args: string[]) => Promise<Command | undefined>
  /** Its options hide those of every command that have the same name. */
  hidesShared?: true
  /** Listens to signals by itself. */
  ownSignals?: true
  /** The exit code, when it is not 0. */
  run(call: Call<never>): Promise<number | void>
}

type Declared<O extends Options> = Omit<Command, 'positionals' | 'options' | 'run'> & {
  positionals?: string[]
  options?: O
  run(call: Call<Values<O>>): Promise<number | void>
}

export function command<const O extends Options = Record<never, never>>(declared: Declared<O>): Command {
  const { positionals = [], options = {} as O, ...rest } = declared
  return { ...rest, positionals, options }
}

/** EX_USAGE of sysexits.h; 124 is that of timeout(1); 128 + SIGINT. */
export const exit = {
  done: 0,
  failed: 1,
  differs: 2,
  stopped: 3,
  notSignedIn: 4,
  personNeeded: 5,
  refused: 6,
  notFollowed: 7,
  usage: 64,
  timeout: 124,
  interrupted: 130,
} as const
