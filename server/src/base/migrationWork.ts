// What a migration does to tables that exist before it, read from its statements: what takes long, or locks, where they are large.
import { isOutside, type Migration } from './migrate.ts'

type Work =
  /** All rows are read for it. */
  | 'builds an index'
  | 'changes rows'
  | 'reads all rows'
  /** The table is locked until it is done. */
  | 'checks all rows'
  | 'writes the table again'

export interface TableWork {
  table: string
  work: Work
  /** Writes of others wait until it is done. */
  locks: boolean
}

const name = String.raw`(?:public\.)?(\w+)`
const patterns: [RegExp, Work][] = [
  [
    new RegExp(String.raw`\bcreate (?:unique )?index (?:concurrently )?(?:if not exists )?\w+ on ${name}`, 'g'),
    'builds an index',
  ],
  [new RegExp(String.raw`\bupdate ${name}(?: (?:as )?\w+)? set\b`, 'g'), 'changes rows'],
  [new RegExp(String.raw`\bdelete from ${name}`, 'g'), 'changes rows'],
  [new RegExp(String.raw`\binsert into \w+[^;$]*?\bselect\b[^;$]*?\bfrom ${name}`, 'g'), 'reads all rows'],
  [new RegExp(String.raw`\bcreate (?:unlogged )?table \w+ as select\b[^;]*?\bfrom ${name}`, 'g'), 'reads all rows'],
]
/** Parts of `alter table`, which has several. */
const parts: [RegExp, Work][] = [
  [/^alter column \w+ (?:set data )?type\b/, 'writes the table again'],
  // a default that differs from row to row must be written into each of them
  [
    /^add column .*\b(?:generated always as|bigserial|serial|gen_random_uuid|clock_timestamp|nextval|random)\b/s,
    'writes the table again',
  ],
  [/^alter column \w+ set not null/, 'checks all rows'],
  [/^(?:add (?:constraint \w+ )?(?:check|foreign key|unique|primary key)\b(?!.*\bnot valid\b))/s, 'checks all rows'],
  [/^validate constraint/, 'reads all rows'],
]

/** What a function or a trigger will do later is not done by the migration that makes it; what a `do` block does is. */
const withoutFunctions = (text: string): string =>
  text.replaceAll(/^\s*--.*$/gm, '').replaceAll(/create (?:or replace )?function\b.*?(\$\w*\$).*?\1/gis, '')

/** What it does to tables that it does not make itself. Each table is listed once for each kind of work. */
export function workOf(migration: Migration): TableWork[] {
  const text = withoutFunctions(migration.text)
  const made = new Set(
    [...text.matchAll(/create (?:unlogged )?table (?:if not exists )?(\w+)/g)].map(([, table]) => table),
  )
  const isAlone = isOutside(migration)
  const found: TableWork[] = []
  const add = (table: string, work: Work, locks: boolean) => {
    if (made.has(table) || found.some((one) => one.table === table && one.work === work)) return
    found.push({ table, work, locks })
  }
  for (const [pattern, work] of patterns) {
    for (const [statement, table = ''] of text.matchAll(pattern)) {
      const isBeside =
        work === 'reads all rows' || (isAlone && (work !== 'builds an index' || statement.includes('concurrently')))
      add(table, work, !isBeside)
    }
  }
  for (const [, table = '', body = ''] of text.matchAll(
    new RegExp(String.raw`\balter table (?:if exists )?(?:only )?${name}\s+([^;]*)`, 'g'),
  )) {
    for (const part of body.split(/,\s*\n\s*/))
      for (const [pattern, work] of parts) if (pattern.test(part.trim())) add(table, work, work !== 'reads all rows')
  }
  return found
}
