// Columns that hold sealed values: how one is declared, sealed again with another key, and found in a database.
import type { Client } from 'pg'
import { zip } from './zip.ts'
import { firstRow } from './rows.ts'
import { sealedHead, type Keyring } from './secrets.ts'

/** Declared once, beside the code that seals it, and listed in `sealed` of its feature: only listed columns are sealed again with a new key. */
export interface SealedColumn {
  table: string
  column: string
  /** The columns of the primary key. */
  key: readonly string[]
  /** Returns the purpose for which a value of the row is sealed, from the values of `key` as text. */
  purpose: (row: Readonly<Record<string, string>>) => string
}

/** A value does not open with the key that it should open with. The operator gets the message unchanged. */
export class SealBroken extends Error {}

export interface Resealing {
  from: Keyring
  to: Keyring
  signal?: AbortSignal
  /** How many bytes are held in memory at a time; a larger value is handled alone. */
  batch?: { rows: number; bytes: number }
}

/** Seals every value of a column again, in the caller's transaction. Returns how many there were. */
export async function resealColumn(client: Client, sealed: SealedColumn, resealing: Resealing): Promise<number> {
  const { from, to, signal, batch = { rows: 500, bytes: 4 * 1024 * 1024 } } = resealing
  const statements = statementsFor(client, sealed, batch)
  let count = 0
  let page = await readPage(client, statements.first, [])
  while (page.length > 0) {
    signal?.throwIfAborted()
    const fresh = page.map(({ key, value }) => {
      const row = Object.fromEntries(zip(sealed.key, key))
      const plain = openOrRefuse(from, sealed, row, value)
      return { ...row, [sealed.column]: `\\x${to.seal(plain, sealed.purpose(row)).toString('hex')}` }
    })
    await client.query(statements.write, [JSON.stringify(fresh)])
    count += page.length
    page = await readPage(client, statements.next, page.at(-1)?.key ?? [])
  }
  return count
}

interface Held {
  key: string[]
  value: Buffer
}

async function readPage(client: Client, statement: string, after: string[]): Promise<Held[]> {
  return (await client.query<Held>(statement, after)).rows
}

/** Pages go by the primary key, which a new seal does not change. Sizes are known without reading the values. */
function statementsFor(client: Client, { table, column, key }: SealedColumn, batch: { rows: number; bytes: number }) {
  const name = (text: string) => client.escapeIdentifier(text)
  const keys = key.map(name).join(', ')
  const read = (after: string) => `
    select array[${key.map((one) => `${name(one)}::text`).join(', ')}] as key, ${name(column)} as value from (
      select *, row_number() over every_row_before as n, sum(octet_length(${name(column)})) over every_row_before as bytes from (
        select ${keys}, ${name(column)} from public.${name(table)}
        where ${name(column)} is not null ${after} order by ${keys} limit ${batch.rows}
      ) page window every_row_before as (order by ${keys} rows unbounded preceding)
    ) measured where n = 1 or bytes <= ${batch.bytes} order by n`
  return {
    first: read(''),
    next: read(`and (${keys}) > (${key.map((_, index) => `$${index + 1}`).join(', ')})`),
    write: `
      update public.${name(table)} as held set ${name(column)} = fresh.${name(column)}
      from json_populate_recordset(null::public.${name(table)}, $1::json) as fresh
      where (${key.map((one) => `held.${name(one)}`).join(', ')}) = (${key.map((one) => `fresh.${name(one)}`).join(', ')})`,
  }
}

function openOrRefuse(
  from: Keyring,
  { table, column, purpose }: SealedColumn,
  row: Record<string, string>,
  value: Buffer,
): Buffer {
  try {
    return from.open(value, purpose(row))
  } catch (error) {
    const where = Object.entries(row).map(([name, text]) => `${name} ${text}`)
    throw new SealBroken(
      `${table}.${column} of the row with ${where.join(', ')} does not open with the encryption key ${from.keyId}. ` +
        'Nothing was changed. Restore a backup in which it opens, or delete that row; then try again.',
      { cause: error },
    )
  }
}

/** The columns of bytes in schema public, as `table.column`. */
export async function columnsOfBytes(client: Client): Promise<string[]> {
  return (await readColumnsOfBytes(client)).map(({ table, column }) => `${table}.${column}`)
}

const readColumnsOfBytes = async (client: Client) =>
  (
    await client.query<{ table: string; column: string }>(`
      select c.relname as table, a.attname as column
      from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and a.attnum > 0 and not a.attisdropped and a.atttypid = 'bytea'::regtype
      order by 1, 2`)
  ).rows

/**
 * The columns of schema public, as `table.column`, in which some value was sealed with this key, whoever declared them. Those in `plain`, named in
 * the same way, hold no sealed values and are not read.
 */
export async function findSealed(client: Client, keyId: string, plain: readonly string[]): Promise<string[]> {
  const head = sealedHead(keyId)
  const found: string[] = []
  for (const { table, column } of await readColumnsOfBytes(client)) {
    if (plain.includes(`${table}.${column}`)) continue
    const { rows } = await client.query<{ sealed: boolean }>(
      `select exists (
         select from public.${client.escapeIdentifier(table)}
         where substring(${client.escapeIdentifier(column)} from 1 for ${head.length}) = $1
       ) as sealed`,
      [head],
    )
    if (firstRow(rows).sealed) found.push(`${table}.${column}`)
  }
  return found
}
