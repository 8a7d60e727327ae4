// Whether a run's output fits the JSON Schema that its build asks for, and if not, where.
import { Compile, type Validator } from 'typebox/compile'

const compiled = new WeakMap<object, Validator>()

/** The place and the reason, or undefined when it fits. */
export function misfitOfOutput(schema: Record<string, unknown>, output: unknown): string | undefined {
  let validator = compiled.get(schema)
  if (!validator) compiled.set(schema, (validator = Compile(schema)))
  if (validator.Check(output)) return undefined
  const [first] = validator.Errors(output)
  return `${first?.instancePath || 'the output'} ${first?.message ?? 'does not fit'}.`
}
