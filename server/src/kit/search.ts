// Search in short lists without a word index: every word of the query must occur in the text of a row.
import { part, type Part } from '../base/db.ts'
import { Type } from './schema.ts'

const lengthMax = 200

export const searchField = (where: string) =>
  Type.String({
    maxLength: lengthMax,
    description: `Words in ${where}, in any case; all of them must be there, and each may be a part of a longer word.`,
  })

/** SQL condition on the rows of one team; a list of this kind has at most some thousands of them. */
export function hasWords(text: Part, search: string | undefined): Part {
  const words = [...new Set(search?.toLowerCase().split(/\s+/).filter(Boolean))]
  return part`not exists (select from unnest(${words}::text[]) as w (word) where strpos(lower(${text}), w.word) = 0)`
}
