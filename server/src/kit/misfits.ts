// What a schema finds wrong with a value, with one sentence for each problem.
import type { TLocalizedValidationError } from 'typebox/error'
import { Settings } from 'typebox/system'
import { brief } from './json.ts'

/** TypeBox stops after 8, which hides problems of an ordinary body; without a bound a hostile body would produce millions. */
Settings.Set({ maxErrors: 100 })

interface Finding {
  keyword: string
  schemaPath: string
  instancePath: string
  message: string
  params: { requiredProperties?: string[]; allowedValues?: unknown[] }
}

export interface Validator {
  Check(value: unknown): boolean
  Errors(value: unknown): TLocalizedValidationError[]
}

/** `where` says what the value is: `body` or `query parameter`. */
export function misfitsOf(validator: Validator, value: unknown, where: string): string[] {
  const findings = (validator.Errors(value) as unknown as Finding[]).filter(({ keyword }) => keyword !== 'anyOf')
  const byPlace = Map.groupBy(findings, ({ instancePath }) => instancePath)
  const misfits = [...byPlace].flatMap(([place, found]) => {
    const isDeeper = findings.some(({ instancePath }) => instancePath.startsWith(`${place}/`))
    return sentencesOf(place.split('/').slice(1).join('.'), tellable(found, isDeeper), where)
  })
  return misfits.length > 0 ? misfits : [`The ${where} does not fit this operation.`]
}

/** In a union, the alternative whose type fits says more than the types of the others. */
function tellable(found: Finding[], isDeeper: boolean): Finding[] {
  const isOtherType = ({ keyword, schemaPath }: Finding) => keyword === 'type' && /\/anyOf\/\d+$/.test(schemaPath)
  const sharper = found.filter((one) => !isOtherType(one))
  return isDeeper || sharper.length > 0 ? sharper : found
}

function sentencesOf(field: string, found: Finding[], where: string): string[] {
  const place = brief(field) || `the ${where}`
  const missing = found.flatMap(({ params }) => params.requiredProperties ?? [])
  const told = [...new Set(missing)].map(
    (name) => `${field ? `${brief(field)}.${name}` : name} is missing in the ${where}.`,
  )
  const choices = found.flatMap(({ params }) => params.allowedValues ?? [])
  if (choices.length > 0) return [...told, `${place} must be one of: ${[...new Set(choices)].join(', ')}.`]
  const rest = found.filter(({ params }) => !params.requiredProperties)
  const types = rest.filter(({ keyword }) => keyword === 'type').map(({ message }) => message)
  const others = rest.filter(({ keyword }) => keyword !== 'type').map(({ message }) => message)
  if (types.length > 0) told.push(`${place} ${[...new Set(types)].join(' or ')}.`)
  else if (others.length > 0) told.push(`${place} ${[...new Set(others)].join(' and ')}.`)
  return told
}
