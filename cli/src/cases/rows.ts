// The rows of a file of cases: objects with the line on which each begins, or what is wrong with a line.
import { createReadStream } from 'node:fs'
import { CommandFailed } from '../command.ts'
import { csvRecords, recordCharactersMax } from './csv.ts'

export interface FileRow {
  line: number
  fields: Record<string, unknown>
  problem?: string
}

export type Format = 'csv' | 'ndjson'

export async function* rowsOf(file: string, format: Format): AsyncGenerator<FileRow, void, undefined> {
  const stream = createReadStream(file, { encoding: 'utf8' })
  yield* format === 'csv' ? csvRows(stream) : jsonRows(stream)
}

/** What a spreadsheet writes first to say that it is UTF-8. */
const withoutMark = (text: string): string => text.replace(/^\uFEFF/, '')

async function* csvRows(pieces: AsyncIterable<string>): AsyncGenerator<FileRow, void, undefined> {
  let names: string[] | undefined
  for await (const { line, cells } of csvRecords(pieces)) {
    if (!names) {
      names = cells.map((name) => withoutMark(name).trim())
      const double = names.find((name, index) => names?.indexOf(name) !== index)
      if (double !== undefined) throw new CommandFailed(`Line ${line}: the column "${double}" is there twice.`)
      continue
    }
    const fields = Object.fromEntries(names.map((name, index) => [name, cells[index] ?? '']))
    const isWhole = cells.length === names.length
    yield isWhole
      ? { line, fields }
      : { line, fields, problem: `has ${cells.length} columns, and the first line has ${names.length}` }
  }
  if (!names) throw new CommandFailed('The file is empty. Its first line must have the names of the columns.')
}

async function* jsonRows(pieces: AsyncIterable<string>): AsyncGenerator<FileRow, void, undefined> {
  let line = 0
  for await (const text of linesOf(pieces)) {
    line += 1
    const trimmed = withoutMark(text).trim()
    if (trimmed === '') continue
    yield { line, ...objectIn(trimmed) }
  }
}

/** Ended by \n alone: U+2028 and U+2029, at which readline ends a line too, may stand in a JSON string. */
async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let line = 1
  let parts: string[] = []
  let length = 0
  for await (const piece of pieces) {
    for (const [index, part] of piece.split('\n').entries()) {
      if (index > 0) {
        yield parts.join('')
        line += 1
        parts = []
        length = 0
      }
      parts.push(part)
      length += part.length
      if (length > recordCharactersMax)
        throw new CommandFailed(`Line ${line}: it is too long. Is a line break missing?`)
    }
  }
  yield parts.join('')
}

function objectIn(text: string): Omit<FileRow, 'line'> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { fields: { ...value } }
    return { fields: {}, problem: 'is not a JSON object' }
  } catch (error) {
    return { fields: {}, problem: `is not JSON: ${(error as Error).message}` }
  }
}
