// Steps of a procedure, one at a time: turned into calls with the values that are there, for the runbook and for other models.
import { parseBounded } from '../../../base/boundedJson.ts'
import { evaluate, isTrue } from '../../../base/expression/evaluate.ts'
import { CannotRender, jsonOf, tooMuchWork } from '../../../base/expression/text.ts'
import { isRecord } from '../../../base/isRecord.ts'
import { TooManySteps } from '../../../base/stepBudget.ts'
import type { Entry, RunFacts, WantedCall } from '../model.ts'
import type { Block } from './block.ts'
import { contentOf, noteResult, outcomeOf, type MadeCall } from './outcome.ts'
import { render } from './render.ts'
import { changesMemory, newScope, readMessage, renewBudget, WantsMemory, type RunbookScope } from './scope.ts'

type Prepared =
  | { kind: 'call'; name: string; arguments: unknown }
  | { kind: 'output'; value: unknown }
  | { kind: 'skipped' }
  /** This memory file must be read first. */
  | { kind: 'memory'; path: string }
  | { kind: 'error'; message: string }
  /** The turn has used up its budget: nothing more can be evaluated in it. */
  | { kind: 'exhausted' }

export function prepare(block: Block, scope: RunbookScope): Prepared {
  try {
    if (block.condition && !isTrue(evaluate(block.condition, scope))) return { kind: 'skipped' }
    const value = block.resolve((template) => render(template, scope))
    return block.tool === null ? { kind: 'output', value } : { kind: 'call', name: block.tool, arguments: value }
  } catch (error) {
    if (error instanceof WantsMemory) return { kind: 'memory', path: error.path }
    if (error instanceof CannotRender) return { kind: 'error', message: error.message }
    if (error instanceof TooManySteps) return { kind: 'exhausted' }
    throw error
  }
}

/** The arguments of a block's call as far as they are written out: what only a run knows is left out of texts, and null in JSON. */
export function writtenArguments({ resolve }: Block): unknown {
  try {
    return resolve(({ place, literals }) =>
      place === 'json_value' || place === 'value' ? parseBounded(literals.join('null')) : literals.join(''),
    )
  } catch (error) {
    if (error instanceof CannotRender || error instanceof SyntaxError) return null
    throw error
  }
}

/** The tools that blocks call, each with the line that first needs it, but for those that are offered. */
export function missingTools(
  blocks: Block[],
  offered: ReadonlySet<string> = new Set(),
): { tool: string; line: number }[] {
  const needed = new Map<string, number>()
  const need = (tool: string, line: number): void => {
    if (!offered.has(tool) && !needed.has(tool)) needed.set(tool, line)
  }
  for (const { tool, line, readsMemory, onError } of blocks) {
    if (readsMemory) need('memory_read', line)
    if (tool !== null) need(tool, line)
    if (onError === 'ask') need('human_ask', line)
  }
  return [...needed].map(([tool, line]) => ({ tool, line }))
}

/** The call of a block, for a model that decides itself when to make it. */
export function resolveStep(
  blocks: Block[],
  id: string,
  scope: RunbookScope,
): { name: string; arguments: unknown } | { error: string } {
  const block = blocks.find((one) => one.id === id)
  if (!block) return { error: `There is no step ${JSON.stringify(id.slice(0, 64))}. There are: ${idsOf(blocks)}.` }
  const open = block.reads.filter((read) => !scope.steps.has(read))
  if (open.length > 0) return { error: `The step ${id} reads what was not run yet. Run first: ${open.join(', ')}.` }
  renewBudget(scope)
  const prepared = prepare(block, scope)
  if (prepared.kind === 'exhausted')
    return { error: `The step ${id} (line ${block.line}) cannot be run: ${tooMuchWork}` }
  if (prepared.kind === 'call') return { name: prepared.name, arguments: prepared.arguments }
  if (prepared.kind === 'error')
    return { error: `The step ${id} (line ${block.line}) cannot be run: ${prepared.message}` }
  if (prepared.kind === 'skipped') return { error: `The condition of the step ${id} is not met. Go on without it.` }
  if (prepared.kind === 'memory') {
    const path = JSON.stringify(prepared.path)
    return {
      error: `The step ${id} reads the memory file ${path}. Call memory_read with that path, then run the step again.`,
    }
  }
  return {
    error: `The step ${id} is the output of the run. End your work with this as your answer: ${jsonOf(prepared.value)}`,
  }
}

const idsOf = (blocks: Block[]): string => {
  const shown = blocks.slice(0, 30).map(({ id }) => id)
  return shown.join(', ') + (blocks.length > shown.length ? ', …' : '')
}

/** The scope of a run whose model calls `run_step`, fed with the run's entries. */
interface StepRecord {
  readonly scope: RunbookScope
  add: (entry: Entry) => void
}

export function createStepRecord(blocks: Block[], facts: RunFacts, callName = 'run_step'): StepRecord {
  const byId = new Map(blocks.map((block) => [block.id, block]))
  let scope = newScope(facts)
  let open = new Map<string, { block: Block | undefined; made: MadeCall }>()

  function begin({ id, name, arguments: given }: WantedCall): void {
    const stepId = name === callName && isRecord(given) ? given['id'] : undefined
    const block = typeof stepId === 'string' ? byId.get(stepId) : undefined
    renewBudget(scope)
    const prepared = block && prepare(block, scope)
    if (prepared?.kind === 'call') open.set(id, { block, made: prepared })
    else if (!block) open.set(id, { block, made: { name, arguments: given } })
  }

  function end(callId: string, result: unknown, error: string | null): void {
    const call = open.get(callId)
    if (!call) return
    open.delete(callId)
    const { block, made } = call
    const path = isRecord(made.arguments) ? made.arguments['path'] : undefined
    if (block) noteResult(scope, block.id, made, result, outcomeOf(made, result, error).failure)
    else if (changesMemory(made.name)) scope.memory.clear()
    if (made.name === 'memory_read' && typeof path === 'string') scope.memory.set(path, contentOf(result, error))
  }

  return {
    get scope() {
      return scope
    },
    add(entry) {
      if (entry.kind === 'user' && entry.restarts) {
        scope = newScope(facts, readMessage(entry.text))
        open = new Map()
      } else if (entry.kind === 'assistant') entry.calls.forEach(begin)
      else if (entry.kind === 'result') end(entry.call_id, entry.result, entry.error)
    },
  }
}
