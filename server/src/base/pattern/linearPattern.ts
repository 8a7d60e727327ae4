// The only place that compiles a pattern of a tenant. A match takes time in proportion to the text, whatever the pattern is.
import { BoundedCache } from '../boundedCache.ts'
import type { StepBudget } from '../stepBudget.ts'
import { BadPattern, parsePattern } from './parsePattern.ts'
import { Program } from './program.ts'

export { BadPattern } from './parsePattern.ts'

const lengthMax = 1000
/** Unicode properties are large sets, which the built-in engine builds again for each mention. */
const propertiesMax = 20

const programs = new BoundedCache<Program>({
  name: 'patterns',
  entriesMax: 500,
  sizeMax: 200_000,
  sizeOf: (program) => program.length,
})

/** Whether the pattern matches anywhere in the text. Throws BadPattern, or TooManySteps when the budget is used up. */
export function matchesPattern(source: string, text: string, budget: StepBudget): boolean {
  return programOf(source).matches(text, budget)
}

/** Why this is not a pattern, as the end of a sentence about it; undefined when it is one. */
export function patternProblem(source: string): string | undefined {
  try {
    programOf(source)
    return undefined
  } catch (error) {
    if (error instanceof BadPattern) return error.message
    throw error
  }
}

function programOf(source: string): Program {
  if (source.length > lengthMax) throw new BadPattern(`is longer than ${lengthMax} characters`)
  return programs.getOrMake(source, () => {
    if (source.split(/\\p\{/i).length - 1 > propertiesMax) {
      throw new BadPattern(`has more than ${propertiesMax} properties of Unicode (\\p{…})`)
    }
    return new Program(parsePattern(source))
  })
}
