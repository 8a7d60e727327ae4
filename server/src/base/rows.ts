// The row of a statement that always gives one.

/** The first row of a statement that always gives one, such as a count or an insert that cannot conflict. */
export async function one<Row>(rows: Promise<readonly Row[]>): Promise<Row> {
  return firstRow(await rows)
}

/** The first of rows that are already read. */
export function firstRow<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('a statement gave no row')
  return row
}
