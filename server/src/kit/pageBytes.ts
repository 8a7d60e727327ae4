// The bytes that one page of a list may hold. Its rows are whole until they exceed the bound together; the long texts of later rows are cut.
// PostgreSQL decides this by the sizes of the texts, so neither it nor this process holds more than a page may.
import { part, type Part } from '../base/db.ts'
import { Type } from './schema.ts'

/** A default page of 20 cases with the longest `data` (256 KiB) still comes whole. */
export const pageBytesMax = 4 * 1024 * 1024

export const truncatedField = Type.Optional(
  Type.Boolean({
    default: false,
    description:
      'Long texts of this record are cut. A page of a list holds 4 MiB at most: rows that do not fit have only the first 1,000 characters of ' +
      'their long texts. The first row of a page is always whole, and so is a record that is read by its id. Events cut texts over 16 KiB.',
  }),
)

/** A column that tenants can fill with a long text, as three expressions over its row. */
export interface LongColumn {
  whole: Part
  /** The size of the whole text, which is known without reading it where possible. */
  bytes: Part
  short: Part
}

/** SQL for the beginning of a text, with a mark; null for null. */
export const beginningOf = (text: Part): Part => part`left(${text}, 1000) || ' … [cut: this page is too large]'`

export const longText = (column: Part): LongColumn => ({
  whole: column,
  bytes: part`coalesce(octet_length(${column}), 0)`,
  short: beginningOf(column),
})

/** The size is that of the text: a short jsonb value can be a long text, for example of numbers such as 1e300. */
const jsonBytes = (column: Part): Part => part`coalesce(octet_length(${column}::text), 0)`

/** A JSON value of any kind; its beginning is a text. */
export const longJson = (column: Part): LongColumn => ({
  whole: column,
  bytes: jsonBytes(column),
  short: part`to_jsonb(${beginningOf(part`${column} #>> '{}'`)})`,
})

/** A JSON object whose declared shape must stay as it is; `short` gives the object with its long fields cut. */
export const longObject = (column: Part, short: Part): LongColumn => ({
  whole: column,
  bytes: jsonBytes(column),
  short,
})

/** Cuts one field of a JSON object. A field that is null stays null. */
export const cutField = (object: Part, field: 'arguments' | 'result' | 'error'): Part => {
  const text = part`(${object}) ->> ${field}::text`
  return part`jsonb_set(${object}, array[${field}::text], coalesce(to_jsonb(
    case when octet_length(${text}) > 4096 then ${beginningOf(text)} end), (${object}) -> ${field}::text, 'null'))`
}

/** SQL for the bytes that the long columns of a row have together. */
export const bytesOf = (columns: LongColumn[]): Part =>
  columns.map(({ bytes }) => bytes).reduce((sum, bytes) => part`${sum} + ${bytes}`)

/**
 * SQL for the rows of a page, as a table to be called `page`. `rows` selects the id, the place (an order) and the bytes of each row; the
 * table has the column `is_whole` instead of the bytes.
 */
export const withinPage = (rows: Part): Part => part`(
  select id, place, row_number() over (order by place) = 1 or sum(bytes) over (order by place) <= ${pageBytesMax}::bigint as is_whole
  from (${rows}) sized)`

/** SQL for a long column in a select from `page`; a text of up to 4 KiB is never cut. */
export const listed = ({ whole, bytes, short }: LongColumn): Part =>
  part`case when page.is_whole or ${bytes} <= 4096 then ${whole} else ${short} end`

/** SQL for the column `truncated` in a select from `page`. */
export const truncatedColumn = (columns: LongColumn[]): Part => part`
  not page.is_whole and greatest(${columns.map(({ bytes }) => bytes).reduce((all, bytes) => part`${all}, ${bytes}`)}) > 4096 as truncated`

/** Rows as the wire has them: `truncated` is there only where it is true. */
export const markTruncated = <Row extends { truncated?: boolean }>(rows: Row[]): Row[] =>
  rows.map((row) => {
    if (row.truncated === true) return row
    const { truncated: _, ...whole } = row
    return whole as Row
  })
