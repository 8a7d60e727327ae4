// Steps of a procedure, one at a time: turned into calls with the values that are there, for the runbook and for other models.
import type { Entry, RunFacts } from '../model.ts'
import type { Block } from './block.ts'
import { evaluate, isTrue, WantsMemory } from './evaluate.ts'
import { contentOf, noteResult, outcomeOf } from './outcome.ts'
import { render } from './render.ts'
import { isRecord, newScope, readMessage, type Scope } from './scope.ts'
import { CannotRender, jsonOf } from './text.ts'

export type Prepared =
  | { kind: 'call'; name: string; arguments: unknown }
  | { kind: 'output'; value: unknown }
  | { kind: 'skipped' }
  /** This memory file must be read first. */
  | { kind: 'memory'; path: string }
  | { kind: 'error'; message: string }

export function prepare(block: Block, scope: Scope): Prepared {
  try {
    if (block.condition && !isTrue(evaluate(block.condition, scope))) return { kind: 'skipped' }
    const value = block.resolve((template) => render(template, scope))
    return block.tool === null ? { kind: 'output', value } : { kind: 'call', name: block.tool, arguments: value }
  } catch (error) {
    if (error instanceof WantsMemory) return { kind: 'memory', path: error.path }
    if (error instanceof CannotRender) return { kind: 'error', message: error.message }
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

/** The call that a block stands for, for a model that decides itself when to make it. */
export function resolveStep(
  blocks: Block[],
  id: string,
  scope: Scope,
): { name: string; arguments: unknown } | { error: string } {
  const block = blocks.find((one) => one.id === id)
  if (!block) return { error: `There is no step ${JSON.stringify(id.slice(0, 64))}. There are: ${idsOf(blocks)}.` }
  const open = block.reads.filter((read) => !scope.steps.has(read))
  if (open.length > 0) return { error: `The step ${id} reads what was not run yet. Run first: ${open.join(', ')}.` }
  const prepared = prepare(block, scope)
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
export interface StepRecord {
  readonly scope: Scope
  add: (entry: Entry) => void
}

export function createStepRecord(blocks: Block[], facts: RunFacts, callName = 'run_step'): StepRecord {
  const byId = new Map(blocks.map((block) => [block.id, block]))
  let scope = newScope(facts)
  let open = new Map<string, { name: string; arguments: Record<string, unknown> }>()

  function note(callId: string, result: unknown, error: string | null): void {
    const call = open.get(callId)
    if (!call) return
    open.delete(callId)
    const { path, id } = call.arguments
    if (call.name === 'memory_read' && typeof path === 'string') scope.memory.set(path, contentOf(result, error))
    const block = call.name === callName && typeof id === 'string' ? byId.get(id) : undefined
    const made = { name: block?.tool ?? call.name, arguments: block ? null : call.arguments }
    if (block) noteResult(scope, block.id, made, result, outcomeOf(made, result, error).failure)
    else if (call.name.startsWith('memory_') && call.name !== 'memory_read') scope.memory.clear()
  }

  return {
    get scope() {
      return scope
    },
    add(entry) {
      if (entry.kind === 'user' && entry.restarts) {
        scope = newScope(facts, readMessage(entry.text))
        open = new Map()
      } else if (entry.kind === 'assistant') {
        for (const { id, name, arguments: given } of entry.calls)
          if (isRecord(given)) open.set(id, { name, arguments: given })
      } else if (entry.kind === 'result') note(entry.call_id, entry.result, entry.error)
    },
  }
}
