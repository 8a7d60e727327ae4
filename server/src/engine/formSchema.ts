// The JSON Schema of a form, which an agent wrote: whether it can be used at all, and what of some values does not fit it.
import { Compile } from 'typebox/compile'
import { brief } from '../kit/json.ts'

export type FormCheck = { fits: true } | { misfit: string } | { broken: string }

interface Misfit {
  keyword: string
  instancePath: string
  message: string
  params: { requiredProperties?: string[]; allowedValues?: unknown[] }
}

/** Never throws: a schema that cannot be read, or that never comes to an end, is broken, and says why. */
export function checkForm(schema: Record<string, unknown>, values: unknown): FormCheck {
  try {
    const validator = Compile(schema)
    if (validator.Check(values)) return { fits: true }
    const misfits = validator.Errors(values) as unknown as Misfit[]
    return { misfit: sentenceOf(misfits.find(({ keyword }) => keyword !== 'anyOf') ?? misfits[0]) }
  } catch (error) {
    return { broken: brief(error instanceof Error ? error.message : String(error)).toWellFormed() }
  }
}

/** Why nothing can be held against this schema; undefined: it can be used. */
export function problemOfForm(schema: Record<string, unknown>): string | undefined {
  const checked = checkForm(schema, {})
  return 'broken' in checked ? checked.broken : undefined
}

function sentenceOf(misfit: Misfit | undefined): string {
  if (!misfit) return 'values do not fit the form.'
  const place = ['values', ...misfit.instancePath.split('/').slice(1)].join('.')
  const { requiredProperties, allowedValues } = misfit.params
  if (requiredProperties) return `${brief(requiredProperties.map((name) => `${place}.${name}`).join(', '))} is missing.`
  if (allowedValues) return `${brief(place)} must be one of: ${brief(allowedValues.join(', '))}.`
  return `${brief(place)} ${brief(misfit.message)}.`
}
