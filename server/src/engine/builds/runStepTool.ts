// The executable blocks of a procedure, offered to a model as one tool: run as they are written, never edited by it.
import type { Entry, ModelTool, RunFacts, WantedCall } from '../../drivers/model/model.ts'
import { parsedOnce, type ParsedRunbook } from '../../drivers/model/runbook/parsedRunbook.ts'
import { createStepRecord, missingTools, resolveStep } from '../../drivers/model/runbook/steps.ts'
import type { ToolRegistry } from './toolRegistry.ts'

export interface StepResolver {
  /** `run_step`, where the procedure has blocks and a model that decides. */
  tools: ModelTool[]
  /** The sets of tools that the procedure's own blocks imply. */
  sets: string[]
  /** Fed with everything that happens, for the values that blocks read. */
  add(entry: Entry): void
  /** Turns a call of `run_step` into the call that the block stands for; any other call stays as it is. */
  resolve(call: WantedCall): { name: string; arguments: unknown } | { error: string }
}

type Blocks = ParsedRunbook['blocks']

interface Known {
  blocks: Blocks
  sets: string[]
}

export type ResolverFor = (procedure: string, facts: RunFacts, isPure: boolean) => StepResolver

export function createResolvers(toolRegistry: ToolRegistry): ResolverFor {
  /** Cached as long as the parsed procedure is. */
  const setsOf = new WeakMap<Blocks, string[]>()

  function known(procedure: string): Known {
    const { blocks } = parsedOnce(procedure)
    let sets = setsOf.get(blocks)
    if (!sets) {
      const needed = missingTools(blocks).map(({ tool }) => toolRegistry.setOf(tool))
      setsOf.set(blocks, (sets = [...new Set(needed.filter((set) => set !== undefined))]))
    }
    return { blocks, sets }
  }

  return (procedure, facts, isPure) => {
    const { blocks, sets } = known(procedure)
    // the runbook model runs the blocks by itself
    if (isPure || blocks.length === 0) {
      return {
        tools: [],
        sets,
        add: () => undefined,
        resolve: ({ name, arguments: given }) => ({ name, arguments: given }),
      }
    }
    const record = createStepRecord(blocks, facts)
    return {
      tools: [runStep(blocks)],
      sets,
      add: (entry) => record.add(entry),
      resolve({ name, arguments: given }) {
        if (name !== 'run_step') return { name, arguments: given }
        const id = (given as { id?: unknown } | null)?.id
        if (typeof id !== 'string') return { error: 'run_step needs the id of a step.' }
        return resolveStep(blocks, id, record.scope)
      },
    }
  }
}

const runStep = (blocks: Blocks): ModelTool => ({
  name: 'run_step',
  description: 'Run an executable block of the procedure exactly as it is written, by its id, and get its result.',
  input_schema: {
    type: 'object',
    properties: { id: { type: 'string', enum: blocks.map(({ id }) => id) } },
    required: ['id'],
    additionalProperties: false,
  },
})
