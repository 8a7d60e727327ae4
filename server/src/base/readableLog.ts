// Log lines for a person at a terminal: the time of day, what happened, and its fields. Programs get the JSON of log.ts.

interface Line {
  level: string
  time: string
  msg?: string
  err?: unknown
}

interface LoggedError {
  name?: string
  message?: string
  stack?: string
  cause?: unknown
}

/** How a terminal draws a part. What is usual has the colour of all text. */
const looks: Record<string, string> = { warn: '33', error: '31', fatal: '31', fields: '2' }

const drawn = (look: string, text: string): string =>
  look in looks && text !== '' && !process.env['NO_COLOR'] ? `\x1b[${looks[look]}m${text}\x1b[0m` : text

/** Texts of strangers are logged too: nothing in them may move the cursor or turn the line around. */
const harmless = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (sign) => `\\u{${sign.codePointAt(0)!.toString(16)}}`)

const valueText = (value: unknown): string =>
  typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value)

/** What `createLog` writes to, for a terminal. */
export const readableLines = (terminal: { write(text: string): unknown }) => ({
  write: (line: string): unknown => terminal.write(readable(line)),
})

function readable(line: string): string {
  const { level, time, msg = '', err, ...fields } = JSON.parse(line) as Line
  const words = Object.entries(fields).map(([name, value]) => `${name}=${valueText(value)}`)
  const said = [level in looks ? level : '', msg].filter((part) => part !== '').join(': ')
  const first = [
    drawn('fields', new Date(time).toLocaleTimeString('en-GB')),
    drawn(level, harmless(said)),
    drawn('fields', harmless(words.join(' '))),
  ]
  return `${[first.filter((part) => part !== '').join('  '), ...errorLines(err)].join('\n')}\n`
}

function errorLines(error: unknown, before = ''): string[] {
  if (error === undefined) return []
  const { name, message, stack, cause } = (typeof error === 'object' && error !== null ? error : {}) as LoggedError
  const text = stack ?? (message === undefined ? JSON.stringify(error) : `${name ?? 'Error'}: ${message}`)
  const own = `${before}${text}`.split('\n').map((each) => `          ${harmless(each)}`)
  return [...own, ...errorLines(cause, 'because of ')]
}
