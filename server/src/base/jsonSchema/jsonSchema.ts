// JSON Schemas that tenants wrote: whether one can be used, and whether a value fits it. Both end in bounded time.
import { StepBudget, TooManySteps } from '../stepBudget.ts'
import { ValueCheck } from './checkValue.ts'
import type { Misfit } from './misfit.ts'
import { readSchema, type SchemaProblem } from './readSchema.ts'
import { TooDeep } from './sameValue.ts'
import type { Fields } from './schemaNode.ts'

export { keysTo, type Misfit } from './misfit.ts'
export type { SchemaProblem } from './readSchema.ts'

/** This takes about 15 ms of one core. A large value gets more: an ordinary schema looks at each part of a value a few times. */
const stepsOfAny = 50_000
const stepsOfPart = 8
/** This takes about 120 ms of one core. */
const stepsMax = 400_000
/** This many characters of a text count as one part. */
const charactersOfPart = 16

type SchemaCheck =
  | { fits: true }
  | { misfit: Misfit }
  /** Says why no value can be checked against this schema; the text ends a sentence about it. */
  | { broken: string }

/** Lists every reason why a schema cannot be used. */
export const schemaProblems = (schema: Fields): SchemaProblem[] => readSchema(schema).problems

/** This never throws because of the schema or the value. */
export function checkAgainst(schema: Fields, value: unknown): SchemaCheck {
  const { node, problems, hasUnevaluated } = readSchema(schema)
  if (problems.length > 0) return { broken: problems.map(sentenceOf).join('; ') }
  try {
    const misfit = new ValueCheck(new StepBudget(stepsFor(value)), hasUnevaluated).run(node, value)
    return misfit ? { misfit } : { fits: true }
  } catch (error) {
    if (error instanceof TooManySteps)
      return { broken: 'it takes too long to check this value; make the schema simpler' }
    if (error instanceof TooDeep) return { broken: error.message }
    throw error
  }
}

const sentenceOf = ({ path, message }: SchemaProblem): string => (path === '' ? `it ${message}` : `${path} ${message}`)

function stepsFor(value: unknown): number {
  let steps = stepsOfAny
  const open = [value]
  for (let next = open.pop(); next !== undefined && steps < stepsMax; next = open.pop()) {
    steps += stepsOfPart
    if (typeof next === 'string') steps += (next.length / charactersOfPart) * stepsOfPart
    else if (typeof next === 'object' && next !== null) {
      const parts: unknown[] = Object.values(next)
      if (parts.length * stepsOfPart > stepsMax) return stepsMax
      open.push(...parts)
    }
  }
  return Math.min(steps, stepsMax)
}
