// The mark that stands for a secret in the arguments of a call, from the procedure until the call leaves: `{{ secrets.crm.TOKEN }}`. What is
// stored, shown and approved has the mark; only what is sent has the value.
import { isRecord } from './isRecord.ts'

/** How the value is written where it goes: as it is, inside a JSON text, or inside a form. */
type MarkEncoding = 'plain' | 'json' | 'form'

export interface SecretMark {
  set: string
  key: string
  encoding: MarkEncoding
}

/** What sets of secrets and their variables are called: the same words that a shell takes for variables. */
export const secretWord = '^[A-Za-z_][A-Za-z0-9_]{0,99}$'
const isWord = new RegExp(secretWord)
const marks = /\{\{ secrets\.([A-Za-z_]\w{0,99})\.([A-Za-z_]\w{0,99})(?: as (json|form))? \}\}/g

export const isSecretWord = (text: unknown): text is string => typeof text === 'string' && isWord.test(text)

export const writeMark = ({ set, key, encoding }: SecretMark): string =>
  `{{ secrets.${set}.${key}${encoding === 'plain' ? '' : ` as ${encoding}`} }}`

const marksIn = (text: string): SecretMark[] =>
  [...text.matchAll(marks)].map(([, set = '', key = '', encoding = 'plain']) => ({
    set,
    key,
    encoding: encoding as MarkEncoding,
  }))

/** The marks in all texts of a value. */
export function marksOf(value: unknown): SecretMark[] {
  if (typeof value === 'string') return value.includes('{{ secrets.') ? marksIn(value) : []
  if (Array.isArray(value)) return value.flatMap(marksOf)
  return isRecord(value) ? Object.entries(value).flatMap(([name, item]) => [...marksOf(name), ...marksOf(item)]) : []
}

const written: Record<MarkEncoding, (secret: string) => string> = {
  plain: (secret) => secret,
  json: (secret) => JSON.stringify(secret).slice(1, -1),
  form: (secret) => encodeURIComponent(secret),
}

/** The value with secrets in place of their marks. */
export function fillMarks(value: unknown, read: (mark: SecretMark) => string): unknown {
  if (typeof value === 'string') {
    return value.replaceAll(marks, (_, set: string, key: string, encoding: MarkEncoding = 'plain') =>
      written[encoding](read({ set, key, encoding })),
    )
  }
  if (Array.isArray(value)) return value.map((item: unknown) => fillMarks(item, read))
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, fillMarks(item, read)]))
}
