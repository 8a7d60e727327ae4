// The words of procedures for people who write them, made from the tables by which procedures are read.
import { filterNames, filterWords, type Roots } from '../../../base/expression/expression.ts'
import { blockKinds, type BlockKind } from './block.ts'
import { kinds } from './kinds.ts'
import { runbookRoots, stepFields } from './scope.ts'

interface Word {
  name: string
  /** What it is or does, in a sentence. */
  says: string
}

interface OptionWord extends Word {
  values: string[]
}

interface RootWord extends Word {
  fields: Word[]
  /** The key after it is the id of an earlier step. */
  names_step: boolean
}

interface BlockWord {
  name: BlockKind
  says: string
  options: OptionWord[]
  /** The words with which a line of it begins, where they are known. */
  verbs: Word[]
  /** What values in its text begin with, where that differs from `roots` of the language. */
  own_roots: RootWord[]
}

interface ProcedureLanguage {
  blocks: BlockWord[]
  filters: (Word & { takes_value: boolean })[]
  roots: RootWord[]
  step_fields: Word[]
}

const wordsOf = (table: Readonly<Record<string, string>>): Word[] =>
  Object.entries(table).map(([name, says]) => ({ name, says }))

const rootWords = (roots: Roots): RootWord[] =>
  Object.entries(roots).map(([name, { says = '', fields = {}, named }]) => ({
    name,
    says,
    fields: wordsOf(fields),
    names_step: named !== undefined,
  }))

const blockWord = (name: BlockKind): BlockWord => {
  const { says, options, usage = {}, ownRoots = {} } = kinds[name]
  return {
    name,
    says,
    options: Object.entries(options).map(([option, { says: means, values = [] }]) => ({
      name: option,
      says: means,
      values: [...values],
    })),
    verbs: wordsOf(usage),
    own_roots: rootWords(ownRoots),
  }
}

export const procedureLanguage: ProcedureLanguage = {
  blocks: blockKinds.map(blockWord),
  filters: filterNames.map((name) => ({
    name,
    says: filterWords[name].says,
    takes_value: 'takesValue' in filterWords[name],
  })),
  roots: rootWords(runbookRoots),
  step_fields: wordsOf(stepFields),
}
