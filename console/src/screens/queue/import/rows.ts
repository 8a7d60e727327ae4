// The rows of a file as cases, by what each column is used for. The command line reads files in the same way.
import type { NewCase } from '@runyard/sdk'
import type { FileRow } from './fileRows.ts'

export const columnUses = ['title', 'external_id', 'priority', 'label', 'data', 'none'] as const
export type ColumnUse = (typeof columnUses)[number]

export const useWords: Record<ColumnUse, string> = {
  title: 'Title',
  external_id: 'External id',
  priority: 'Priority',
  label: 'Label',
  data: 'Data',
  none: 'Leave out',
}

/** What the service takes at most. */
const titleMax = 500
const externalIdMax = 255
const dataBytesMax = 256 * 1024

const known: [ColumnUse, RegExp][] = [
  ['title', /^(title|name|subject)$/i],
  ['external_id', /^(external.?id|id|number|key)$/i],
  ['priority', /^priority$/i],
]

/** What a person most likely means; the first column is the title where none is called so. */
export function guessUses(columns: string[]): ColumnUse[] {
  const taken = new Set<ColumnUse>()
  const uses = columns.map((column): ColumnUse => {
    const found = known.find(([use, pattern]) => pattern.test(column.trim()) && !taken.has(use))?.[0] ?? 'data'
    if (found !== 'data') taken.add(found)
    return found
  })
  return taken.has('title') ? uses : uses.map((use, at) => (at === 0 ? 'title' : use))
}

/** Only one column can be each of these. */
export const isAlone = (use: ColumnUse): boolean => use === 'title' || use === 'external_id' || use === 'priority'

export interface RowProblem {
  /** As an editor counts lines of a file without quotes over several lines. */
  line: number
  says: string
}

export interface ReadRows {
  cases: NewCase[]
  problems: RowProblem[]
}

export function casesOf(columns: string[], rows: FileRow[], uses: ColumnUse[]): ReadRows {
  const cases: NewCase[] = []
  const problems: RowProblem[] = []
  const lines = new Map<string, number>()
  for (const { line, cells, problem } of rows) {
    const made = caseOf(columns, cells, uses)
    const earlier = made.external_id === undefined ? undefined : lines.get(made.external_id)
    const says =
      problem ?? problemOf(made) ?? (earlier === undefined ? undefined : `has the same external id as line ${earlier}`)
    if (says !== undefined) problems.push({ line, says })
    else {
      if (made.external_id !== undefined) lines.set(made.external_id, line)
      cases.push(made)
    }
  }
  return { cases, problems }
}

/** A cell as people read it. */
export const textOf = (cell: unknown): string =>
  typeof cell === 'string' ? cell : cell === undefined || cell === null ? '' : JSON.stringify(cell)

function caseOf(columns: string[], row: unknown[], uses: ColumnUse[]): NewCase {
  const cellOf = (use: ColumnUse): string => textOf(row[uses.indexOf(use)]).trim()
  const of = (use: ColumnUse): [string, unknown][] =>
    uses.flatMap((each, at) => (each === use && row[at] !== undefined ? [[columns[at] ?? '', row[at]]] : []))
  const data = of('data')
  const labels = of('label')
    .map(([key, cell]) => ({ key: key.trim(), value: textOf(cell).trim() }))
    .filter(({ value }) => value !== '')
  const [externalId, priority] = [cellOf('external_id'), cellOf('priority').toLowerCase()]
  return {
    title: cellOf('title'),
    ...(data.length > 0 && {
      data: isLoneData(columns, uses) ? textOf(data[0]?.[1]) : JSON.stringify(Object.fromEntries(data)),
    }),
    ...(priority !== '' && { priority: priority as 'none' }),
    ...(externalId !== '' && { external_id: externalId }),
    ...(labels.length > 0 && { labels }),
  }
}

/** A column that is called data is taken as it stands if it is the only one; others become one JSON object. */
const isLoneData = (columns: string[], uses: ColumnUse[]): boolean =>
  uses.indexOf('data') === uses.lastIndexOf('data') && columns[uses.indexOf('data')] === 'data'

function problemOf({ title, data = '', priority, external_id = '' }: NewCase): string | undefined {
  if (title === '') return 'has no title'
  if (title.length > titleMax) return `has a title of more than ${titleMax} characters`
  if (new TextEncoder().encode(data).length > dataBytesMax) return 'has more than 256 KiB of data'
  if (priority !== undefined && !['none', 'medium', 'high'].includes(priority))
    return 'has a priority that is not none, medium or high'
  if (external_id.length > externalIdMax) return `has an external id of more than ${externalIdMax} characters`
  const isText = [title, data, external_id].every((text) => text.isWellFormed() && !text.includes('\u0000'))
  return isText && !data.includes('\\u0000') ? undefined : 'has a character that is not text'
}

/** A case without an id gets one of its content, so that the same file imported twice adds nothing twice; equal rows are numbered. */
export async function withIds(cases: NewCase[], hash: (text: string) => Promise<string>): Promise<NewCase[]> {
  const counts = new Map<string, number>()
  const made: NewCase[] = []
  for (const one of cases) {
    if (one.external_id !== undefined) {
      made.push(one)
      continue
    }
    const id = `row-${await hash(JSON.stringify(one))}`
    const seen = (counts.get(id) ?? 0) + 1
    counts.set(id, seen)
    made.push({ ...one, external_id: seen === 1 ? id : `${id}-${seen}` })
  }
  return made
}

const batchRows = 100
/** The service takes 16 MiB in a request; a small one is lost less dearly. */
const batchBytes = 1024 * 1024

export function batchesOf(cases: NewCase[]): NewCase[][] {
  const batches: NewCase[][] = []
  let bytes = 0
  for (const one of cases) {
    const size = JSON.stringify(one).length
    const last = batches.at(-1)
    if (!last || last.length >= batchRows || bytes + size > batchBytes) {
      batches.push([one])
      bytes = size
    } else {
      last.push(one)
      bytes += size
    }
  }
  return batches
}
