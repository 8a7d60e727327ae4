// Search in short lists that have no index of words: every word of the query must be somewhere in the text of a row.
import { part, type Part } from '../base/db.ts'
import { Type } from './schema.ts'

const lengthMax = 200

export const searchField = (where: string) =>
  Type.String({
    maxLength: lengthMax,
    description: `Words in ${where}, in any case; all of them must be there, and each may be a part of a longer word.`,
  })

/** A condition on the rows of one team, of which a list of this kind has at most some thousands. */
export function hasWords(text: Part, search: string | undefined): Part {
  const words = [...new Set(search?.toLowerCase().split(/\s+/).filter(Boolean))]
  return part`not exists (select from unnest(${words}::text[]) as w (word) where strpos(lower(${text}), w.word) = 0)`
}
