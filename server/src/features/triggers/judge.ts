// What a trigger makes of one delivery: whether it passes the filter, which key it has, and the message of its run. All of it is what
// tenants wrote, so it is read and evaluated in counted steps.
import { evaluate, isTrue, valueAt, type Scope } from '../../base/expression/evaluate.ts'
import { ExpressionProblem, parseExpression, type Expression, type Roots } from '../../base/expression/expression.ts'
import { splitHoles, type SplitText } from '../../base/expression/holes.ts'
import { CannotRender, charactersMax, jsonOf, stepsOfTurn, textOf, tooMuchWork } from '../../base/expression/text.ts'
import { isRecord } from '../../base/isRecord.ts'
import { StepBudget, TooManySteps } from '../../base/stepBudget.ts'
import { payFor } from '../../base/valueSize.ts'

export const triggerKinds = ['webhook', 'event', 'poll', 'email'] as const
export type TriggerKind = (typeof triggerKinds)[number]

const delivery = {
  says: 'The delivery itself.',
  fields: { id: 'Its id.', received_at: 'When it came, in UTC.' },
}

/** What expressions of each kind may read; the first is what a run gets when its trigger has no message. */
export const rootsOf = {
  webhook: {
    body: { says: 'What was sent: JSON as a value, a form as an object, otherwise text.' },
    headers: { says: 'The headers of the request, with their names in lower case.' },
    query: { says: 'The query of the URL.' },
    delivery,
  },
  event: {
    event: {
      says: 'The event.',
      fields: { id: 'Its id.', event: 'Its name.', created_at: 'When it happened.', data: 'What it tells.' },
    },
    delivery,
  },
  poll: { item: { says: 'The item that was not there before.' }, delivery },
  email: {
    mail: {
      says: 'The mail.',
      fields: {
        message_id: 'Its Message-ID.',
        from: 'The address of its sender.',
        to: 'The addresses in its To.',
        subject: 'Its subject.',
        date: 'Its date, as it says itself.',
        text: 'Its text.',
        headers: 'Its headers, with their names in lower case.',
        attachments: 'The name, type and size of each attachment.',
      },
    },
    delivery,
  },
} as const satisfies Record<TriggerKind, Roots>

/** Where senders put the key by which a repetition is known; used unless the trigger has a `dedupe_key` of its own. */
const usualKeys = {
  github: 'headers["x-github-delivery"]',
  stripe: 'body.id',
  slack: 'body.event_id | default(body.trigger_id)',
  standard_webhooks: 'headers["webhook-id"]',
  secret: 'headers["idempotency-key"] | default(headers["webhook-id"])',
  none: 'headers["idempotency-key"] | default(headers["webhook-id"])',
  event: 'event.id',
  poll: 'item.id',
  email: 'mail.message_id',
} as const

export interface Judging {
  kind: TriggerKind
  verifier: string | null
  filter: string | null
  dedupe_key: string | null
  message: string | null
}

interface Judged {
  passes: boolean
  /** Null: nothing is a repetition of it. */
  key: string | null
  message: unknown
}

type Verdict = Judged | { problem: string }

/** The problems of what a caller wrote, each as a sentence. */
export function problemsOf(judging: Judging): string[] {
  const problems: string[] = []
  const roots = rootsOf[judging.kind]
  for (const field of ['filter', 'dedupe_key'] as const) {
    const source = judging[field]
    if (source !== null) readInto(problems, field, source, roots)
  }
  if (judging.message !== null) {
    splitHoles(judging.message, 1, roots, (line, message) => problems.push(`message, line ${line}: ${message}`))
  }
  return problems
}

/** The sentence that is wrong with an expression of a field, added to the others. */
export function readInto(problems: string[], field: string, source: string, roots: Roots): void {
  try {
    parseExpression(source, roots)
  } catch (error) {
    if (!(error instanceof ExpressionProblem)) throw error
    problems.push(`${field} cannot be read: ${error.message}`)
  }
}

/** Reads what the trigger says once, for any number of deliveries. */
export function createJudge(judging: Judging): (content: Record<string, unknown>, budget?: StepBudget) => Verdict {
  const roots = rootsOf[judging.kind]
  const filter = judging.filter === null ? null : parseExpression(judging.filter, roots)
  const key = parseExpression(keyExpression(judging), roots)
  const template = judging.message === null ? null : splitHoles(judging.message, 1, roots, () => undefined)
  const usual = Object.keys(roots)[0]!
  return (content, budget) => {
    const scope = scopeOf(content, budget)
    return orProblem(() => ({
      passes: filter === null || isTrue(evaluate(filter, scope)),
      key: keyOf(key, scope),
      message: template === null ? messageOf(content[usual]) : rendered(template, scope),
    }))
  }
}

export const keyExpression = ({
  kind,
  verifier,
  dedupe_key,
}: Pick<Judging, 'kind' | 'verifier' | 'dedupe_key'>): string =>
  dedupe_key ?? usualKeys[kind === 'webhook' ? ((verifier ?? 'none') as keyof typeof usualKeys) : kind]

/** Each delivery has the budget of one turn. */
export const scopeOf = (content: Record<string, unknown>, budget = new StepBudget(stepsOfTurn)): Scope => ({
  budget,
  read: (root, keys) => valueAt(content, [root, ...keys]),
})

export function orProblem<T>(work: () => T): T | { problem: string } {
  try {
    return work()
  } catch (error) {
    if (error instanceof CannotRender) return { problem: error.message }
    if (error instanceof TooManySteps) return { problem: `It cannot be evaluated: ${tooMuchWork}` }
    throw error
  }
}

/** A text or a number; an empty one, null or anything else is no key. */
export function keyOf(expression: Expression, scope: Scope): string | null {
  const value = evaluate(expression, scope)
  if (value === null || value === undefined || value === '') return null
  payFor(value, scope.budget)
  return textOf(value)
}

/** A run's message is text, an object or nothing. */
const messageOf = (value: unknown): unknown =>
  value === null || value === undefined || typeof value === 'string' || isRecord(value)
    ? (value ?? null)
    : jsonOf(value)

function rendered({ literals, holes }: SplitText, scope: Scope): unknown {
  // one value alone stays what it is
  if (holes.length === 1 && literals.every((literal) => literal.trim() === '')) {
    return messageOf(evaluate(holes[0]!.expression!, scope))
  }
  let text = literals[0]!
  for (const [index, { expression }] of holes.entries()) {
    const value = evaluate(expression!, scope)
    payFor(value, scope.budget)
    text += textOf(value) + literals[index + 1]!
    if (text.length > charactersMax) {
      throw new CannotRender(`The message is longer than ${charactersMax} characters.`)
    }
  }
  return text
}
