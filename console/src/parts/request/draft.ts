// What a person has typed and chosen and not sent yet. It stays in this tab over a reload and over a session that ended.
import { forget, keep, readKept } from '../keptText.ts'
import { Unreadable } from '../schemaValue.ts'

export interface Draft {
  /** By the place of the question: labels of options, or one text. */
  answers: string[][]
  /** The values of a form, as SchemaForm keeps them; undefined: nothing was touched. */
  values: unknown
  comment: string
}

export const emptyDraft: Draft = { answers: [], values: undefined, comment: '' }

const nameOf = (requestId: string): string => `answer.${requestId}`

export function readDraft(memberId: string, requestId: string): Draft {
  const kept = readKept(memberId, nameOf(requestId))
  return kept === undefined ? emptyDraft : parseDraft(kept)
}

export const keepDraft = (memberId: string, requestId: string, draft: Draft): void =>
  keep(memberId, nameOf(requestId), draftText(draft))

export const forgetDraft = (memberId: string, requestId: string): void => forget(memberId, nameOf(requestId))

/** A text that is no number yet is kept as it was typed. */
const typedAs = 'runyard.typed'

export const draftText = (draft: Draft): string =>
  JSON.stringify(draft, (_, value: unknown) => (value instanceof Unreadable ? { [typedAs]: value.text } : value))

export function parseDraft(text: string): Draft {
  let read: unknown
  try {
    read = JSON.parse(text, (_, value: unknown) => {
      const typed =
        typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[typedAs] : undefined
      return typeof typed === 'string' ? new Unreadable(typed) : value
    })
  } catch {
    return emptyDraft
  }
  const { answers, values, comment } = (read ?? {}) as Partial<Record<keyof Draft, unknown>>
  return {
    answers: Array.isArray(answers) ? answers.map((one) => (Array.isArray(one) ? one.map(String) : [])) : [],
    values,
    comment: typeof comment === 'string' ? comment : '',
  }
}

export const isTouched = ({ answers, values, comment }: Draft): boolean =>
  comment !== '' || values !== undefined || answers.some((one) => one.length > 0)
