// Whether a run's output fits the JSON Schema that its build asks for, and if not, where.
import { checkAgainst, keysTo } from '../../base/jsonSchema/jsonSchema.ts'
import { brief } from '../../kit/json.ts'

export interface OutputMisfit {
  /** Says what does not fit, or why the schema cannot be used when no output could fit it. */
  says: string
  /** True when another output would not help. */
  isHopeless: boolean
}

/** Undefined when the output fits. */
export function checkOutput(schema: Record<string, unknown>, output: unknown): OutputMisfit | undefined {
  const checked = checkAgainst(schema, output)
  if ('fits' in checked) return undefined
  if ('broken' in checked) return { says: `the schema cannot be used: ${brief(checked.broken)}.`, isHopeless: true }
  const { place, message } = checked.misfit
  const pointer = keysTo(place).map((key) => `/${key}`)
  return { says: `${brief(pointer.join('')) || 'the output'} ${brief(message)}.`.toWellFormed(), isHopeless: false }
}

/** The path of what does not fit, and the reason; undefined when the output fits. */
export const misfitOfOutput = (schema: Record<string, unknown>, output: unknown): string | undefined =>
  checkOutput(schema, output)?.says
