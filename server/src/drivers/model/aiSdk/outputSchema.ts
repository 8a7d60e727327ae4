// Which output schemas a provider's own JSON mode can hold without refusing them or losing what they allow.
import { isRecord } from '../../../base/isRecord.ts'

/** Providers refuse grammars with many optional fields; the strictest compiles ten. */
const optionalMax = 10

/**
 * An object at the top, closed objects below, no references, few optional fields. Any other schema is only described to the model in the
 * prompt; the engine checks the answer in both cases.
 */
export function isHoldable(schema: Record<string, unknown>): boolean {
  const optional = { count: 0 }
  return schema.type === 'object' && isPlain(schema, optional) && optional.count <= optionalMax
}

const known = new Set(
  [
    'type properties required additionalProperties items enum const anyOf title description default examples $schema',
    'format minimum maximum minLength maxLength minItems maxItems',
  ].flatMap((line) => line.split(' ')),
)

function isPlain(schema: unknown, optional: { count: number }): boolean {
  if (!isRecord(schema)) return false
  const { type, properties, required, additionalProperties = false, items, anyOf } = schema
  if (!Object.keys(schema).every((name) => known.has(name))) return false
  if (additionalProperties !== false) return false
  if (type === 'object' || properties !== undefined) {
    if (!isRecord(properties)) return false
    const names = Array.isArray(required) ? new Set<unknown>(required) : new Set()
    optional.count += Object.keys(properties).filter((name) => !names.has(name)).length
  }
  const parts = [...Object.values(isRecord(properties) ? properties : {}), ...(Array.isArray(anyOf) ? anyOf : [])]
  if (items !== undefined) parts.push(items)
  return parts.every((part) => isPlain(part, optional))
}
