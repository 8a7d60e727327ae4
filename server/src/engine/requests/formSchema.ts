// The JSON Schema of a form, which an agent wrote: whether it can be used at all, and which values do not fit it.
import { checkAgainst, keysTo, type Misfit } from '../../base/jsonSchema/jsonSchema.ts'
import { brief } from '../../kit/json.ts'

type FormCheck = { fits: true } | { misfit: string } | { broken: string }

/** This never throws: a schema that cannot be read, or takes too long, is broken, and the answer says why. */
export function checkForm(schema: Record<string, unknown>, values: unknown): FormCheck {
  const checked = checkAgainst(schema, values)
  if ('fits' in checked) return checked
  if ('broken' in checked) return { broken: brief(checked.broken).toWellFormed() }
  return { misfit: sentenceOf(checked.misfit).toWellFormed() }
}

/** Why no value can be checked against this schema; undefined: it can be used. */
export function problemOfForm(schema: Record<string, unknown>): string | undefined {
  const checked = checkForm(schema, {})
  return 'broken' in checked ? checked.broken : undefined
}

function sentenceOf({ place, message, missing, choices }: Misfit): string {
  const field = ['values', ...keysTo(place)].join('.')
  if (missing) return `${brief(missing.map((name) => `${field}.${name}`).join(', '))} is missing.`
  if (choices) return `${brief(field)} must be one of: ${brief(choices.map(shown).join(', '))}.`
  return `${brief(field)} ${brief(message)}.`
}

const shown = (choice: unknown): string => (typeof choice === 'string' ? choice : JSON.stringify(choice))
