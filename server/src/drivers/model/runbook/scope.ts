// What expressions can read while a procedure runs: facts, results of steps, answers of people, memory files.
import { parseBounded } from '../../../base/boundedJson.ts'
import { StepBudget } from '../../../base/stepBudget.ts'
import type { RunFacts } from '../model.ts'
import { stepsOfTurn } from './text.ts'

interface StepView {
  output: unknown
  error: string | null
  ok: boolean
  skipped: boolean
}

export interface RunbookScope {
  /** The steps that are left for the expressions of this turn. */
  budget: StepBudget
  message: unknown
  case: unknown
  run: unknown
  steps: Map<string, StepView>
  /** The answers by question, and for each step by its id. */
  answers: Map<string, unknown>
  /** Content by path; null means that there is no such file. A path that is missing was not read yet. */
  memory: Map<string, string | null>
}

export function newScope(facts: RunFacts, message: unknown = facts.message): RunbookScope {
  return {
    budget: new StepBudget(stepsOfTurn),
    message,
    case: facts.case,
    run: facts.run,
    steps: new Map(),
    answers: new Map(),
    memory: new Map(),
  }
}

/** Begins a turn: its expressions get a full budget. */
export function renewBudget(scope: RunbookScope): void {
  scope.budget = new StepBudget(stepsOfTurn)
}

/** A message as an expression reads it: parsed when it is JSON. */
export function readMessage(text: string): unknown {
  try {
    return parseBounded(text)
  } catch (error) {
    if (error instanceof SyntaxError) return text
    throw error
  }
}

/** Puts the answers that a person gave to an ask block where `answers` finds them. */
export function noteAnswers(scope: RunbookScope, id: string, result: unknown): void {
  const given = answersOf(result)
  // if a question is spelled like the id of a step, the step wins
  for (const [question, answer] of Object.entries(given))
    if (!scope.steps.has(question)) scope.answers.set(question, answer)
  scope.answers.set(id, given)
}

/** `answers` of a question, `values` of a form. */
export function answersOf(result: unknown): Record<string, unknown> {
  if (!isRecord(result)) return {}
  for (const name of ['answers', 'values']) {
    const found = Object.hasOwn(result, name) ? result[name] : undefined
    if (isRecord(found)) return found
  }
  return {}
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The agent's memory may have changed: what was read of it counts no more. */
export const changesMemory = (tool: string): boolean =>
  tool.startsWith('memory_') && !/^memory_(?:read|list)$/.test(tool)
