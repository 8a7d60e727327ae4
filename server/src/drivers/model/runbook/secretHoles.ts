// Secrets in a procedure: where `{{ secrets.SET.KEY }}` may stand. A procedure never holds the value, only its mark (base/secretMark.ts).
import type { Expression } from '../../../base/expression/expression.ts'
import { CannotRender } from '../../../base/expression/text.ts'
import { isSecretWord, marksOf, writeMark, type SecretMark } from '../../../base/secretMark.ts'
import type { BlockKind } from './block.ts'
import type { Hole, TextKind, Template } from './template.ts'

/** The texts of blocks whose calls leave. The URL is not one of them: it is kept in logs on its way. */
const placesOf: Partial<Record<BlockKind, readonly TextKind[]>> = {
  http: ['header', 'form', 'json_text', 'text'],
  tool: ['json_value'],
}

const whereTheyStand =
  'A secret stands in the headers and the body of an http block and in the arguments of a tool block. Commands find it in their ' +
  'environment, under its own name.'

/** The secret that an expression names; undefined: it is not exactly one secret. */
export function secretOf({ node }: Expression): Pick<SecretMark, 'set' | 'key'> | undefined {
  if (node.kind !== 'path' || node.root !== 'secrets' || node.keys.length !== 2) return undefined
  const [set, key] = node.keys.map((one) => (one.kind === 'literal' ? one.value : null))
  return isSecretWord(set) && isSecretWord(key) ? { set, key } : undefined
}

const readsSecret = ({ reads }: Expression): boolean => reads.has('secrets')

/** What is wrong with an expression that reads a secret; undefined: nothing. `place` undefined: it is a condition. */
export function secretProblem(expression: Expression, kind: BlockKind, place?: TextKind): string | undefined {
  if (!readsSecret(expression)) return undefined
  if (place === undefined || !placesOf[kind]?.includes(place)) return whereTheyStand
  if (secretOf(expression)) return undefined
  return 'A secret is written {{ secrets.SET.KEY }}, alone between its braces: nothing can be made of its value here.'
}

export const mayHoldSecrets = (kind: BlockKind): boolean => placesOf[kind] !== undefined

/** The mark as it is written in this place; undefined: the hole is not a secret. */
export function markIn({ expression, part }: Hole, place: TextKind): string | undefined {
  const secret = expression && secretOf(expression)
  if (!secret) return undefined
  if (place === 'form') return writeMark({ ...secret, encoding: 'form' })
  const mark = writeMark({ ...secret, encoding: place === 'json_text' ? 'json' : 'plain' })
  const isJson = place === 'json_text' || place === 'json_value'
  return isJson && part !== 'json_string' ? `"${mark}"` : mark
}

/** Values come from outside: none may say which secret is sent, whole or in pieces. */
export function refuseForgedMarks({ literals, holes }: Template, text: string): void {
  const found = marksOf(text).length
  if (found === 0) return
  const own = holes.filter(({ expression }) => expression && secretOf(expression)).length
  if (found > own + marksOf(literals).length) {
    throw new CannotRender('A value holds {{ secrets. …, which only the procedure itself may say.')
  }
}
