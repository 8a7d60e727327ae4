// How a failure is reported: as a sentence and an exit code. Loaded only when something fails.
import { ApiError, ConnectionError, NotSignedInError, RunyardError, TimeoutError } from '../../sdk/src/index.ts'
import { CommandFailed, exit, Interrupted, UsageError } from './command.ts'
import { NotSignedIn } from './connect.ts'

/** Failures of the machine's commands that say in a sentence what to do; by name, since their files are loaded only by those commands. */
const plainNames = new Set([
  'ArchiveRefused',
  'BackupRefused',
  'RestoreRefused',
  'EncryptionKeyRefused',
  'MigrationRefused',
  'SealBroken',
  'DatabaseRefused',
  'DatabaseError',
])

/** What somebody can fix is reported as a sentence; what is our own mistake with its stack. */
export const sentenceFor = (error: unknown): string => partsOf(error).join(' ')

/** The sentence and, where a command helps, a hint that ends with this command. In a terminal the hint has a line of its own, so that it can be copied. */
export function partsOf(error: unknown): [sentence: string, hint?: string] {
  if (!(error instanceof Error)) return [String(error)]
  if (error instanceof NotSignedInError)
    return [`${error.message} The service does not know this key.`, 'Run: runyard login']
  if (error instanceof ApiError && error.status >= 500)
    return [`${error.message} Request ${error.requestId ?? 'unknown'}.`]
  if (error instanceof ConnectionError && !(error instanceof TimeoutError))
    return [error.message, 'Is the service running? Start it with: runyard']
  const isOfSystem = typeof (error as NodeJS.ErrnoException).syscall === 'string'
  const isPlain = [CommandFailed, UsageError, RunyardError].some((kind) => error instanceof kind)
  return isPlain || isOfSystem || plainNames.has(error.constructor.name)
    ? [error.message]
    : [error.stack ?? error.message]
}

export function exitCodeFor(error: unknown): number {
  if (error instanceof UsageError) return exit.usage
  if (error instanceof NotSignedIn || error instanceof NotSignedInError) return exit.notSignedIn
  if (error instanceof TimeoutError) return exit.timeout
  return error instanceof Interrupted ? exit.interrupted : exit.failed
}
