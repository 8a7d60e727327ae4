// The only file that compiles a pattern of a tenant. A match takes time in proportion to the text, whatever the pattern is.
import { BoundedCache } from '../boundedCache.ts'
import type { StepBudget } from '../stepBudget.ts'
import { BadPattern, parsePattern } from './parsePattern.ts'
import { Program } from './program.ts'

export { BadPattern } from './parsePattern.ts'

export interface Pattern {
  readonly source: string
  /** Whether the pattern matches anywhere in the text. Throws TooManySteps when the budget is used up. */
  matches: (text: string, budget: StepBudget) => boolean
}

const lengthMax = 1000
/** Unicode properties are large sets, which the built-in engine builds again for each mention. */
const propertiesMax = 20
const instructionsMax = 50_000

const programs = new BoundedCache<Program>({
  name: 'patterns',
  entriesMax: 500,
  sizeMax: 200_000,
  sizeOf: (program) => program.weight,
})

/** The patterns of one document. Compiling takes time and memory, so they are bounded together and not only one by one. */
export class PatternSet {
  readonly #known = new Map<string, Program>()
  #instructions = 0
  #properties = 0

  /** Throws BadPattern. A pattern that the document has twice is compiled and counted once. */
  compile(source: string): Pattern {
    const known = this.#known.get(source)
    if (known) return known
    if (source.length > lengthMax) throw new BadPattern(`is longer than ${lengthMax} characters`)
    if (this.#instructions > instructionsMax) throw new BadPattern(tooMuch)
    const properties = source.split(/\\p\{/i).length - 1
    if (this.#properties + properties > propertiesMax) throw new BadPattern(tooManyProperties)
    this.#properties += properties
    const program = programs.getOrMake(source, () => new Program(source, parsePattern(source)))
    this.#instructions += program.length
    if (this.#instructions > instructionsMax) throw new BadPattern(tooMuch)
    this.#known.set(source, program)
    return program
  }
}

const tooMuch = `is too much together with the patterns before it: they take more than ${instructionsMax} instructions. Use fewer or shorter patterns`
const tooManyProperties = `has, together with the patterns before it, more than ${propertiesMax} properties of Unicode (\\p{…})`
