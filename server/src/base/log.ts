// The log: one JSON line per finished thing, to stderr. Everything that looks like a secret is cut out of it, because a log line
// loses little that way. Data of teams follows another rule (knownSecrets.ts), so this rule is not exported.
import { pino, type LogFn, type Logger } from 'pino'
import { DatabaseAway } from './databaseAway.ts'

export type Log = Logger

/**
 * Our own secrets carry prefixes, so one pattern finds them wherever they hide: in a message, a header, an error's text.
 * Bearer and Basic values are cut whole, since a first key may be any string.
 */
const secrets =
  /\b(ry|ryt|rys|ryc|ryl)_[A-Za-z0-9]+(?:_[A-Za-z0-9]+)*|whsec_[A-Za-z0-9+/=_-]+|\b(Bearer|Basic) +[^\s"\\]+/g

function redact(text: string): string {
  return text.replace(secrets, (whole, prefix?: string, scheme?: string) => {
    if (scheme) return `${scheme} [cut]`
    return `${prefix ?? whole.slice(0, whole.indexOf('_'))}_[cut]`
  })
}

/** Only the useful fields of an error: errors of drivers hold their whole connection. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { name, message, stack, cause } = error
  const { code } = error as { code?: unknown }
  return {
    name,
    message,
    ...(typeof code === 'string' && { code }),
    stack,
    ...(cause !== undefined && { cause: describeError(cause) }),
  }
}

/**
 * Every loop warns that it will try again, 20 lines a second in all. While the database is away, its absence is the cause of each, and it
 * has been told: those lines are for who looks closely.
 */
function quietWhileAway(this: Logger, words: Parameters<LogFn>, write: LogFn, level: number): void {
  const [fields] = words as unknown[]
  const isKnown = typeof fields === 'object' && fields !== null && 'err' in fields && fields.err instanceof DatabaseAway
  if (isKnown && level === this.levels.values['warn']) return this.debug(...words)
  write.apply(this, words)
}

export function createLog(level: string, stream: { write(line: string): unknown } = process.stderr): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      hooks: { streamWrite: redact, logMethod: quietWhileAway },
      serializers: { err: describeError },
      redact: {
        paths: [
          'authorization',
          '*.authorization',
          'password',
          '*.password',
          'secret',
          '*.secret',
          'api_key',
          '*.api_key',
        ],
        censor: '[cut]',
      },
    },
    stream,
  )
}
