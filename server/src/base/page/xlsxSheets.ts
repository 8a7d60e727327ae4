// The sheets of a spreadsheet: numbers as numbers, times as dates, and every text as a text, whatever is in it.
import type { Cell, Sheet } from 'write-excel-file/node'
import { jsonOf } from '../expression/text.ts'
import { numberOf, timeOf } from './figures.ts'
import type { ColumnKind, PageTable } from './pageTable.ts'

/** How long a sheet's name and a cell's text may be in Excel. */
const nameLengthMax = 31
const textLengthMax = 32_767
/** How many digits of a number Excel keeps. A longer one stays a text. */
const digitsMax = 15
/** Excel knows no earlier date, and counts a day too many in the first months of 1900. */
const firstTime = Date.UTC(1900, 2, 1)
const lastTime = Date.UTC(9999, 11, 31)

const formats: Partial<Record<ColumnKind, string>> = {
  usd: '"$"#,##0.00####',
  percent: '0.0#%',
  duration: 'General" s"',
}
const timeFormat = 'yyyy-mm-dd hh:mm:ss'

type SheetOfTable = Sheet<Buffer>

/** A file has at least one sheet. */
export function sheetsOf(tables: PageTable[], notes: string[]): SheetOfTable[] {
  const nameOf = uniqueNames()
  const sheets = tables.map((table, index) => sheetOf(table, nameOf(table.title, index)))
  const lines = tables.length === 0 ? ['The page has no tables.'] : notes
  if (lines.length > 0) {
    const title = tables.length === 0 ? 'No tables' : 'Left out'
    sheets.push({ sheet: nameOf(title, tables.length), data: lines.map((line) => [textCell(line)]) })
  }
  return sheets
}

function sheetOf({ columns, rows }: PageTable, name: string): SheetOfTable {
  const head = columns.map(({ name: text, kind }): Cell => ({
    ...textCell(text),
    fontWeight: 'bold',
    // above its figures
    ...(kind !== 'text' && { align: 'right' }),
  }))
  const body = rows.map((row) => columns.map(({ kind }, index) => cellOf(row[index], kind)))
  return {
    sheet: name,
    data: [head, ...body],
    stickyRowsCount: 1,
    orientation: 'landscape',
    columns: columns.map((_, index) => widthOf(index, columns, rows)),
  }
}

/** A column is as wide as the texts of its first rows. */
function widthOf(index: number, columns: PageTable['columns'], rows: unknown[][]): { width: number } {
  const values = [columns[index]?.name, ...rows.slice(0, 50).map((row) => row[index])]
  const lengths = values.map((value) => (typeof value === 'string' ? value.length : 12))
  return { width: Math.min(60, Math.max(8, ...lengths) + 2) }
}

function cellOf(value: unknown, kind: ColumnKind): Cell {
  if (value === null || value === undefined || value === '') return null
  if (typeof value === 'number' && !Number.isFinite(value)) return null
  if (typeof value === 'boolean') return { value, type: Boolean }
  if (kind === 'time') {
    const time = timeOf(value)
    if (time !== null && time >= firstTime && time < lastTime)
      return { value: new Date(time), type: Date, format: timeFormat }
  }
  const number = typeof value === 'number' || isFigure(value, kind) ? numberOf(value) : null
  if (number === null) return textCell(typeof value === 'string' ? value : jsonOf(value))
  const format = formats[kind]
  return { value: number, type: Number, ...(format !== undefined && { format }) }
}

/** A text of a column of figures, which databases give for exact numbers. */
const isFigure = (value: unknown, kind: ColumnKind): boolean =>
  typeof value === 'string' && kind !== 'text' && kind !== 'time' && value.replaceAll(/\D/g, '').length <= digitsMax

const textCell = (text: string): { value: string; type: StringConstructor } => ({
  value: escaped(text.slice(0, textLengthMax).toWellFormed()),
  type: String,
})

/**
 * XML cannot hold control characters. A spreadsheet writes them as _x0007_ (ST_Xstring of ECMA-376), and so an underscore that happens to
 * begin such a text as _x005F_.
 */
function escaped(text: string): string {
  const safe = text
    .replaceAll(/_(?=x[0-9a-f]{4}_)/gi, '_x005F_')
    .replaceAll(/[[\p{Cc}\ufdd0-\ufdef\ufffd-\uffff]--[\t\n]]/gv, codeOf)
  // write-excel-file looks texts up in an object, which has these names already
  return safe in Object.prototype ? codeOf(safe) + safe.slice(1) : safe
}

const codeOf = (text: string): string => `_x${text.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`

/** What a sheet's name cannot hold: some punctuation, and characters that XML cannot hold or that nobody has given a meaning. */
const notInNames = /[[\]:*?/\\\p{Cc}\p{Cs}\p{Cn}\ufffd]+/gu

/** Names are compared without case. Excel keeps "History" for itself, and takes no apostrophe at either end. */
function uniqueNames(): (title: string, index: number) => string {
  const taken = new Set(['history'])
  return (title, index) => {
    const plain = title.slice(0, 200).toWellFormed().replaceAll(notInNames, ' ').replaceAll(/\s+/g, ' ')
    const name = trimmed(plain) || `Table ${index + 1}`
    for (let number = 1; ; number += 1) {
      const ending = number === 1 ? '' : ` (${number})`
      const short = trimmed(
        name
          .slice(0, nameLengthMax - ending.length)
          .toWellFormed()
          .replaceAll('\ufffd', ''),
      )
      const whole = `${short}${ending}`
      if (taken.has(whole.toLowerCase())) continue
      taken.add(whole.toLowerCase())
      return whole
    }
  }
}

const trimmed = (text: string): string => text.replaceAll(/^[\s']+|[\s']+$/g, '')
