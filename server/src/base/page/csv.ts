// Tables as CSV (RFC 4180), written so that a spreadsheet shows what is in them and runs nothing of it.
import { jsonOf } from '../expression/text.ts'
import type { PageTable } from './pageTable.ts'

/** Several tables stand below each other, each with its title above it. */
export function csvOf(tables: PageTable[]): string {
  const parts = tables.map(({ title, columns, rows }) => {
    const head = tables.length > 1 ? [[title]] : []
    return [...head, columns.map(({ name }) => name), ...rows]
      .map((cells) => `${cells.map(cellText).join(',')}\r\n`)
      .join('')
  })
  return parts.join('\r\n')
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return jsonOf(value)
  const text = typeof value === 'string' ? value : jsonOf(value)
  // spreadsheets take a text that begins like this for a formula
  const safe = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/.test(text) ? `'${text}` : text
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
