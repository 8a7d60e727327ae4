// The columns of many rows as parameters of one statement. PostgreSQL reads them faster than rows of JSON, whose names it compares and whose
// values it reads twice: 150 messages took 2.1 ms instead of 4.0.
import { part, type Part } from './sql.ts'
import { storableJson, storableText } from './storable.ts'

/** Stands between two values. JSON has no such character: it writes it as an escape. */
const separator = '\u001f'

/** A column of ids, numbers, times or words of the program: nothing in them has a meaning in an array. */
export const plainColumn = (values: readonly (string | number | boolean | null | undefined)[]): string =>
  `{${values.map((value) => value ?? 'null').join(',')}}`

/** A column of texts that may hold anything. */
export const textColumn = (values: readonly (string | null | undefined)[]): (string | null)[] =>
  values.map((value) => (value === null || value === undefined ? null : storableText(value)))

/** SQL for a column of JSON texts, as text[]; an empty text is null. */
export const jsonTextColumn = (texts: readonly string[]): Part =>
  part`string_to_array(${texts.join(separator)}::text, e'\\x1f', '')`

/** SQL for a column of JSON values, as text[]. Null and undefined are null. */
export const jsonColumn = (values: readonly unknown[]): Part =>
  jsonTextColumn(values.map((value) => (value === null || value === undefined ? '' : storableJson(value))))
