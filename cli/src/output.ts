// What a command prints: data on stdout, everything else on stderr; tables for people, JSON and CSV for programs.
import { cutTo, padTo, widthOf } from './screenWidth.ts'

export interface Column<Row> {
  title: string
  of: (row: Row) => string | number | null | undefined
  /** May be cut when the terminal is narrow; the others are shown whole. */
  mayCut?: true
  isNumber?: true
}

export interface Output {
  /** A person reads stdout, and nobody asked for JSON or CSV. */
  readonly isForPeople: boolean
  readonly isJson: boolean
  readonly isCsv: boolean
  /** Signs of life may be drawn on stderr, in colour. */
  readonly isLive: boolean
  /** A person reads stderr, and can be asked if stdin is a terminal too. */
  readonly canAsk: boolean
  readonly hasColour: boolean
  readonly width: number
  readonly height: number
  /** A line of data. */
  line: (text: string) => void
  /** Data as it stands. */
  bytes: (bytes: Uint8Array) => void
  /**
   * Waits until the system has all data that was printed: a pipe takes no more than somebody reads. It does not wait while no more than
   * `unreadMax` of it is unread. A signal ends the wait, as a failure: Ctrl-C, unless another one is given. A closed pipe refuses data; what
   * that means for the command is decided where the process ends.
   */
  taken: (wait?: { signal?: AbortSignal; unreadMax?: number }) => Promise<'taken' | 'refused'>
  /** A line for people, on stderr. */
  note: (text: string) => void
  /** Something on stderr without a line break, for what is drawn again. */
  draw: (text: string) => void
  /** Rows as a table, as one JSON value a line, or as CSV. A person who gets none reads `none` instead. */
  rows: <Row extends object>(
    columns: Column<Row>[],
    rows: Iterable<Row> | AsyncIterable<Row>,
    none?: string,
  ) => Promise<void>
  /** One value: JSON with `--json`, otherwise the lines that `show` makes of it. */
  record: <Value>(value: Value, show: (value: Value) => string[]) => void
}

interface Stream {
  write: (data: string | Uint8Array, done?: (error?: Error | null) => void) => unknown
  /** How much it holds that the system has not taken. */
  writableLength?: number
  /** Why the system refused what was written. */
  errored?: Error | null
  isTTY?: boolean
  columns?: number
  rows?: number
}

interface Wanted {
  json: boolean
  csv: boolean
  env: NodeJS.ProcessEnv
  /** Ends waits for a reader. */
  signal?: AbortSignal
  stdout: Stream
  stderr: Stream
}

/**
 * How much of a list may be unread; beyond that its next page waits until all of it is read. Pages are counted from the first row on, so
 * rows that leave the list during the walk make it skip others: a walk must not take as long as somebody reads.
 */
export const listUnreadMax = 16 * 1024 * 1024

const endless = new AbortController().signal

/** The size of a terminal that says nothing of it. */
const usualWidth = 80
const usualHeight = 24

export function outputOf({ json, csv, env, signal: byHand = endless, stdout, stderr }: Wanted): Output {
  const isPlain = json || csv || Boolean(env['CI'])
  const isForPeople = Boolean(stdout.isTTY) && !json && !csv
  // a terminal that does not know its size says 0; and a person may change it
  const widthNow = (): number => stdout.columns || stderr.columns || usualWidth
  const line = (text: string): void => void stdout.write(`${text}\n`)
  const taken: Output['taken'] = async ({ signal = byHand, unreadMax } = {}) => {
    const outcome = await takenFrom(stdout, signal, unreadMax)
    if (outcome === 'stopped') throw signal.reason
    return outcome
  }
  return {
    isForPeople,
    isJson: json,
    isCsv: csv,
    isLive: Boolean(stderr.isTTY) && !isPlain && !env['NO_COLOR'],
    canAsk: Boolean(stderr.isTTY) && !isPlain,
    hasColour: Boolean(stdout.isTTY) && !isPlain && !env['NO_COLOR'],
    get width() {
      return widthNow()
    },
    get height() {
      return stderr.rows || usualHeight
    },
    line,
    bytes: (bytes) => void stdout.write(bytes),
    taken,
    note: (text) => void stderr.write(`${harmlessLines(text)}\n`),
    draw: (text) => void stderr.write(text),
    async rows(columns, rows, none) {
      if (json || csv) {
        for await (const text of json ? jsonLines(rows) : csvLines(columns, rows)) {
          byHand.throwIfAborted()
          line(text)
          await taken({ unreadMax: listUnreadMax })
        }
      } else {
        const lines = await tableLines(columns, rows, isForPeople ? widthNow() : undefined)
        for (const text of lines) line(text)
        if (lines.length === 0 && none !== undefined && isForPeople) stderr.write(`${none}\n`)
      }
    },
    record(value, show) {
      for (const text of json ? [jsonText(value, 2)] : show(value).map(harmlessLines)) line(text)
    },
  }
}

/** `stopped` if the signal came first. */
export async function takenFrom(
  stream: Stream,
  signal: AbortSignal,
  unreadMax = 0,
): Promise<'taken' | 'refused' | 'stopped'> {
  if ((stream.writableLength ?? 0) <= unreadMax) return stream.errored ? 'refused' : 'taken'
  if (signal.aborted) return 'stopped'
  return new Promise((resolve) => {
    const giveUp = (): void => resolve('stopped')
    signal.addEventListener('abort', giveUp, { once: true })
    stream.write('', (error) => {
      signal.removeEventListener('abort', giveUp)
      resolve(error ? 'refused' : 'taken')
    })
  })
}

/** What others wrote must not steer the terminal: control characters become visible or blank. */
export const harmless = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- these are the ones
  text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g, ' ')

/** The same for a text of several lines. */
export const harmlessLines = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .split(/[\n\u2028\u2029]/)
    .map((line) => line.split('\t').map(harmless).join('\t'))
    .join('\n')

/** Line breaks and tabs stay; what would steer the terminal goes. */
export const withoutOrders = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- these are the ones
  text.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g, '\uFFFD')

/** JSON leaves some control characters as they are, and a terminal would obey them. */
export const jsonText = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replaceAll(
    /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

const cellOf = <Row>({ of }: Column<Row>, row: Row): string => harmless(String(of(row) ?? ''))

async function* jsonLines(rows: Iterable<object> | AsyncIterable<object>): AsyncGenerator<string> {
  for await (const row of rows) yield jsonText(row)
}

async function* csvLines<Row>(
  columns: Column<Row>[],
  rows: Iterable<Row> | AsyncIterable<Row>,
): AsyncGenerator<string> {
  yield columns.map(({ title }) => quoted(title.toLowerCase().replaceAll(' ', '_'))).join(',')
  for await (const row of rows) yield columns.map(({ of }) => quoted(String(of(row) ?? ''))).join(',')
}

/** RFC 4180. A spreadsheet takes text that begins like a formula for one, so it gets an apostrophe. */
function quoted(text: string): string {
  const tamed = /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text
  return /[",\r\n]/.test(tamed) ? `"${tamed.replaceAll('"', '""')}"` : tamed
}

const gap = '  '
const narrowest = 8

async function tableLines<Row>(
  columns: Column<Row>[],
  rows: Iterable<Row> | AsyncIterable<Row>,
  width: number | undefined,
): Promise<string[]> {
  const cells: string[][] = []
  for await (const row of rows) cells.push(columns.map((column) => cellOf(column, row)))
  if (cells.length === 0) return []
  const all = [columns.map(({ title }) => title.toUpperCase()), ...cells]
  const widths = columns.map((_, index) => Math.max(...all.map((line) => widthOf(line[index] ?? ''))))
  if (width !== undefined) narrow(widths, columns, width)
  return all.map((line) =>
    line
      .map((text, index) => {
        const room = widths[index] ?? 0
        const shown = cutTo(text, room)
        return columns[index]?.isNumber ? shown.padStart(room) : padTo(shown, room)
      })
      .join(gap)
      .trimEnd(),
  )
}

/** Takes from the widest column that may be cut, until the line fits or all of them are as narrow as they get. */
function narrow(widths: number[], columns: Column<never>[], width: number): void {
  const lineWidth = (): number => widths.reduce((sum, one) => sum + one, 0) + gap.length * (widths.length - 1)
  const cuttable = widths.map((_, index) => index).filter((index) => columns[index]?.mayCut)
  while (lineWidth() > width) {
    const widest = cuttable.reduce<number | undefined>(
      (found, index) =>
        (widths[index] ?? 0) > (found === undefined ? narrowest : (widths[found] ?? 0)) ? index : found,
      undefined,
    )
    if (widest === undefined) return
    widths[widest] = (widths[widest] ?? 0) - 1
  }
}
