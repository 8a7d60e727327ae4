// What expressions can read while a procedure runs: facts, results of steps, answers of people, memory files.
import { parseBounded } from '../../../base/boundedJson.ts'
import { valueAt, type Scope } from '../../../base/expression/evaluate.ts'
import type { Roots } from '../../../base/expression/expression.ts'
import { CannotRender, stepsOfTurn } from '../../../base/expression/text.ts'
import { isRecord } from '../../../base/isRecord.ts'
import { StepBudget } from '../../../base/stepBudget.ts'
import type { CaseFacts, RunFacts } from '../model.ts'

const runFields: Record<keyof RunFacts['run'], string> = {
  id: 'The id of the run.',
  number: 'The number of the run in the team.',
  title: 'The title of the run, or null.',
  agent_id: 'The id of the agent.',
  agent_name: 'The name of the agent.',
  source: 'What started the run: api, schedule, case_trigger …',
  created_at: 'When the run was started, in UTC.',
}

const caseFields: Record<keyof CaseFacts, string> = {
  id: 'The id of the case.',
  queue_id: 'The id of its queue.',
  title: 'Its title.',
  data: 'Its data: an object where it is JSON, otherwise text.',
  priority: 'Its priority, as a word.',
  labels: 'Its labels, each with key and value.',
  attempts: 'How often runs have begun to work on it, this one included.',
}

export const runbookRoots = {
  message: { says: 'What started the run: text, or an object.' },
  case: { says: 'The case that the run works on, or null.', fields: caseFields },
  steps: {
    says: 'The results of earlier steps, by their ids.',
    named: 'Name the step: steps.fetch or steps["fetch"].',
  },
  answers: { says: 'What people answered, by the id of the step or by the question.' },
  memory: {
    says: 'Memory files of the agent, by their paths; null where there is none.',
    keyed: 'Say which memory file: memory["notes/a.md"].',
  },
  run: { says: 'The run itself.', fields: runFields },
  secrets: {
    says: 'Secrets that the build names, by set and variable; only in headers and bodies of http and in arguments of tools.',
    keyed: 'Say which secret: secrets.SET.KEY.',
  },
} as const satisfies Roots

/** A memory file must be read first. */
export class WantsMemory extends Error {
  readonly path: string
  constructor(path: string) {
    super(`memory file ${path}`)
    this.path = path
  }
}

interface StepView {
  output: unknown
  error: string | null
  ok: boolean
  skipped: boolean
}

export const stepFields: Record<keyof StepView, string> = {
  output: 'What the step gave.',
  ok: 'Whether it succeeded.',
  error: 'Why it failed, as text, or null.',
  skipped: 'Whether its condition was not met.',
}

/** Its budget is that of one turn. */
export interface RunbookScope extends Scope {
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
  const scope: RunbookScope = {
    budget: new StepBudget(stepsOfTurn),
    message,
    case: facts.case,
    run: facts.run,
    steps: new Map(),
    answers: new Map(),
    memory: new Map(),
    read: (root, keys) => readRoot(scope, root, keys),
  }
  return scope
}

function readRoot(scope: RunbookScope, root: string, keys: readonly unknown[]): unknown {
  const [first, ...rest] = keys
  if (root === 'memory') return valueAt(readMemory(first, scope), rest)
  if (root === 'steps' || root === 'answers') {
    if (keys.length === 0) {
      scope.budget.spend(scope[root].size)
      return Object.fromEntries(scope[root])
    }
    return valueAt(typeof first === 'string' ? (scope[root].get(first) ?? null) : null, rest)
  }
  return valueAt(scope, [root, ...keys])
}

function readMemory(path: unknown, scope: RunbookScope): string | null {
  if (typeof path !== 'string' || path === '')
    throw new CannotRender('The path of a memory file must be a text: memory["notes/a.md"].')
  const content = scope.memory.get(path)
  if (content === undefined) throw new WantsMemory(path)
  return content
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

/** The agent's memory may have changed: what was read of it counts no more. */
export const changesMemory = (tool: string): boolean =>
  tool.startsWith('memory_') && !/^memory_(?:read|list)$/.test(tool)
