// Lists: `limit` and `offset` as every list takes them, and the wrapper that carries them back.
import { empty, one, part, type Part, type Sql } from '../base/db.ts'
import { bytesOf, markTruncated, truncatedColumn, withinPage, type LongColumn } from './pageBytes.ts'
import { Type, type TProperties, type TSchema } from './schema.ts'

/** The query fields of a list; `limit=0` gives only the total. */
export const paging = (usual: number, max: number) => ({
  limit: Type.Integer({ minimum: 0, maximum: max, default: usual, description: `How many to give, at most ${max}.` }),
  offset: Type.Integer({ minimum: 0, maximum: 2_147_483_647, default: 0, description: 'How many to skip.' }),
})

/** How far beyond its page a list is counted whose rows pile up for months: to count millions takes seconds, and tells nobody anything. */
export const countedAhead = 10_000

/** The total of such a list. Whoever goes through all pages never meets it before the end. */
export const totalAhead = Type.Integer({
  minimum: 0,
  description: `How many there are; a list that goes on for longer is counted to ${countedAhead} beyond this page.`,
})

/** `{members: […], total, limit, offset}` with exactly these keys. */
export function pageOf<const Name extends string, T extends TSchema>(
  name: Name,
  item: T,
  total = Type.Integer({ minimum: 0 }),
) {
  const properties = {
    [name]: Type.Array(item),
    total,
    limit: Type.Integer({ minimum: 0 }),
    offset: Type.Integer({ minimum: 0 }),
  } as { [N in Name]: ReturnType<typeof Type.Array<T>> } & Record<
    'total' | 'limit' | 'offset',
    ReturnType<typeof Type.Integer>
  >
  return Type.Object(properties satisfies TProperties, { additionalProperties: false })
}

interface List {
  /** The select list; a single record is read with the same one. */
  columns: Part
  /** Tables and conditions: what belongs to the list. */
  from: Part
  order: Part
  /** It is counted only so far beyond the page (`countedAhead`). */
  isCountedAhead?: boolean
}

/** One page and the total of what matches. */
export async function readPage<Row extends object>(
  sql: Sql,
  { columns, from, order, isCountedAhead = false }: List,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: Row[]; total: number; limit: number; offset: number }> {
  const rows = await sql<Row>`select ${columns} from ${from} order by ${order} limit ${limit} offset ${offset}`
  const counted = isCountedAhead
    ? part`(select from ${from} order by ${order} limit ${limit + offset + countedAhead}::bigint) ahead`
    : from
  const count = await one(sql<{ total: number }>`select count(*) as total from ${counted}`)
  return { rows, total: count.total, limit, offset }
}

interface LongList {
  /** The table, whose rows have an `id`. */
  table: Part
  /** Conditions: what belongs to the list. */
  where: Part
  order: Part
  /** The select list, in which the long columns stand as `listed` gives them. */
  columns: Part
  long: LongColumn[]
}

/** The rows of a page whose long texts are cut where the page would be too large (pageBytes.ts). */
export async function readLongRows<Row extends { truncated?: boolean }>(
  sql: Sql,
  { table, where, order, columns, long }: LongList,
  cut: Part = empty,
): Promise<Row[]> {
  const sizes = part`
    select id, row_number() over (order by ${order}) as place, ${bytesOf(long)} as bytes
    from (select * from ${table} where ${where} order by ${order} ${cut}) ${table}`
  // `offset 0`: each row is looked up by its id. A plan that does not know the limit would rather join the page with the whole table.
  const rows = await sql<Row>`
    select ${columns}, ${truncatedColumn(long)} from ${withinPage(sizes)} page,
      lateral (select * from ${table} where ${table}.id = page.id offset 0) ${table} order by page.place`
  return markTruncated(rows)
}

/** One page of a list with long texts, and the exact total of what matches. */
export async function readLongPage<Row extends { truncated?: boolean }>(
  sql: Sql,
  list: LongList,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: Row[]; total: number; limit: number; offset: number }> {
  const rows = await readLongRows<Row>(sql, list, part`limit ${limit} offset ${offset}`)
  const count = await one(sql<{ total: number }>`select count(*) as total from ${list.table} where ${list.where}`)
  return { rows, total: count.total, limit, offset }
}
