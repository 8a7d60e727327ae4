// What a command of the machine gets: settings, log, what was typed; and how it fails.
import type { Config } from '../base/config.ts'
import type { Log } from '../base/log.ts'

/** What went wrong, as a sentence for whoever typed the command. */
export class CommandFailed extends Error {}

/** The command was typed wrongly (EX_USAGE of sysexits.h). */
export class UsageError extends Error {}

export interface Call<Values extends object = object> {
  config: Config
  log: Log
  /** The arguments, as many as the command has names for. */
  positionals: string[]
  values: Values
  /** Aborted by the first Ctrl-C or SIGTERM. */
  signal: AbortSignal
  /** A line for people, on stdout. */
  print: (line: string) => void
}
