// A record that somebody names: by its id, or by its name when only one has it.
import { CommandFailed } from './command.ts'
import { harmless } from './output.ts'

interface Named {
  id: string
  name: string
}

export async function oneNamed<Row extends Named>(
  rows: Iterable<Row> | AsyncIterable<Row>,
  given: string,
  noun: string,
): Promise<Row> {
  const found: Row[] = []
  for await (const row of rows) {
    if (row.id === given) return row
    if (row.name === given) found.push(row)
  }
  const [only] = found
  if (!only) throw new CommandFailed(`There is no ${noun} "${harmless(given)}".`)
  if (found.length > 1) {
    throw new CommandFailed(
      `${found.length} of the team have the name "${harmless(given)}". Give the id of the ${noun}: ${found.map(({ id }) => id).join(', ')}.`,
    )
  }
  return only
}
