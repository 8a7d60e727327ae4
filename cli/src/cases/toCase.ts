// One row of a file as a case, by the columns that somebody chose.
import { createHash } from 'node:crypto'
import type { NewCase } from '../../../sdk/src/index.ts'
import { UsageError } from '../command.ts'
import type { FileRow } from './rows.ts'

export interface Columns {
  title?: string
  externalId?: string
  data?: string[]
  priority?: string
}

const priorities = ['none', 'medium', 'high'] as const
type Priority = (typeof priorities)[number]
const isPriority = (text: string): text is Priority => (priorities as readonly string[]).includes(text)

/** What the service takes at most. */
const titleMax = 500
const externalIdMax = 255
const dataBytesMax = 256 * 1024

export type Taken = { line: number } & ({ case: NewCase } | { problem: string })

/** Makes cases of rows. It remembers which ids it has seen, so it serves one pass over one file. */
export function caseMaker(columns: Columns): (row: FileRow) => Taken {
  const linesById = new Map<string, number>()
  const counts = new Map<string, number>()
  let isFirst = true
  return (row) => {
    if (isFirst && !row.problem) requireColumns(columns, row.fields)
    isFirst = false
    const { line } = row
    if (row.problem) return { line, problem: row.problem }
    const made = caseOf(columns, row.fields)
    const problem = problemOf(made)
    if (problem) return { line, problem }
    if (made.external_id === undefined) return { line, case: { ...made, external_id: idFor(made, counts) } }
    const earlier = linesById.get(made.external_id)
    if (earlier !== undefined) return { line, problem: `has the same external id as line ${earlier}` }
    linesById.set(made.external_id, line)
    return { line, case: made }
  }
}

function requireColumns({ title, externalId, data = [], priority }: Columns, fields: FileRow['fields']): void {
  const named = [title, externalId, ...data, priority !== undefined && !isPriority(priority) ? priority : undefined]
  const missing = named.filter((name) => name !== undefined && !Object.hasOwn(fields, name))
  if (missing.length > 0) {
    throw new UsageError(`There is no column ${missing.join(', ')}. The file has ${Object.keys(fields).join(', ')}.`)
  }
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value)

function caseOf(columns: Columns, fields: FileRow['fields']): NewCase {
  const names = Object.keys(fields)
  const has = (name: string): string | undefined => (Object.hasOwn(fields, name) ? name : undefined)
  const title = columns.title ?? has('title') ?? names[0] ?? ''
  const externalId = columns.externalId ?? has('external_id')
  const fixed = columns.priority !== undefined && isPriority(columns.priority) ? columns.priority : undefined
  const priorityColumn = fixed ? undefined : (columns.priority ?? has('priority'))
  const used = new Set([title, externalId, priorityColumn])
  const dataNames = columns.data ?? (has('data') ? ['data'] : names.filter((name) => !used.has(name)))
  const given = externalId === undefined ? '' : textOf(fields[externalId])
  const priority = fixed ?? (priorityColumn === undefined ? '' : textOf(fields[priorityColumn]))
  return {
    title: textOf(fields[title]).trim(),
    ...(dataNames.length > 0 && { data: dataOf(dataNames, fields, columns.data === undefined) }),
    ...(priority !== '' && { priority: priority as Priority }),
    ...(given !== '' && { external_id: given }),
  }
}

/** The column `data` is taken as it stands; others become one JSON object. */
function dataOf(names: string[], fields: FileRow['fields'], isUsual: boolean): string {
  const [only] = names
  if (isUsual && names.length === 1 && only === 'data') return textOf(fields['data'])
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, fields[name]])))
}

function problemOf({ title, data = '', priority, external_id = '' }: NewCase): string | undefined {
  if (title === '') return 'has no title'
  if (title.length > titleMax) return `has a title of more than ${titleMax} characters`
  if (Buffer.byteLength(data) > dataBytesMax) return 'has more than 256 KiB of data'
  if (priority !== undefined && !isPriority(priority))
    return `has a priority that is not one of ${priorities.join(', ')}`
  if (external_id.length > externalIdMax) return `has an external id of more than ${externalIdMax} characters`
  const isText = [title, data, external_id].every((text) => text.isWellFormed() && !text.includes('\u0000'))
  return isText ? undefined : 'has a character that is not text'
}

/** The same row gets the same id in every run; the second of two equal rows gets another one. */
function idFor(made: NewCase, counts: Map<string, number>): string {
  const hash = createHash('sha256').update(JSON.stringify(made)).digest('hex').slice(0, 40)
  const count = (counts.get(hash) ?? 0) + 1
  counts.set(hash, count)
  return count === 1 ? `row-${hash}` : `row-${hash}-${count}`
}
