// The rows of a file of cases: separated values with the names of their columns first, or one JSON object on each line (NDJSON).
import { count } from '../../../parts/amounts.ts'
import { readTable, separatorOf } from '../../../parts/files/csv.ts'

export interface FileRow {
  line: number
  /** In the order of the columns. A text in CSV, any JSON in NDJSON; undefined: the row has none. */
  cells: unknown[]
  problem?: string
}

export interface FileRows {
  columns: string[]
  rows: FileRow[]
}

const rowsMax = 1_000_000
const columnsMax = 100

/** Throws an error for people if nothing in the file can be a case. */
export function rowsOf(name: string, text: string): FileRows {
  const whole = text.replace(/^\uFEFF/, '')
  return isNdjson(name, whole) ? jsonRows(whole) : csvRows(whole)
}

/** The name decides; without one that says it, the first character does. */
const isNdjson = (name: string, text: string): boolean =>
  /\.(ndjson|jsonl)$/i.test(name) || (!/\.(csv|tsv)$/i.test(name) && /^\s*\{/.test(text))

const tooMany = () => new Error(`The file has more than ${count(rowsMax)} rows.`)

function csvRows(text: string): FileRows {
  const { rows, isCut } = readTable(text, separatorOf(text), rowsMax + 1)
  if (isCut) throw tooMany()
  const [columns = [], ...others] = rows
  if (others.length === 0) throw new Error('The file has no row below its first one, which names the columns.')
  const lined = others.map((cells, at) => ({ line: at + 2, cells }))
  // an empty line at the end of a file is no row
  return { columns, rows: lined.filter(({ cells }) => cells.some((cell) => cell !== '')) }
}

function jsonRows(text: string): FileRows {
  const places = new Map<string, number>()
  const rows: FileRow[] = []
  for (const [at, written] of text.split('\n').entries()) {
    if (written.trim() === '') continue
    if (rows.length === rowsMax) throw tooMany()
    const fields = objectIn(written)
    if (typeof fields === 'string') {
      rows.push({ line: at + 1, cells: [], problem: fields })
      continue
    }
    const cells: unknown[] = []
    for (const [field, value] of Object.entries(fields)) {
      const place = places.get(field) ?? places.size
      places.set(field, place)
      cells[place] = value
    }
    if (places.size > columnsMax) throw new Error(`The objects have more than ${columnsMax} different fields.`)
    rows.push({ line: at + 1, cells })
  }
  if (places.size === 0) throw new Error('The file has no line with a JSON object. Each line must be one.')
  return { columns: [...places.keys()], rows }
}

/** Gives the object of a line, or says what is wrong with the line. */
function objectIn(text: string): object | string {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : 'is not a JSON object'
  } catch {
    return 'is not JSON'
  }
}
