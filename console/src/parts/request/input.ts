// From what a person chose to what is sent, and what is still missing for it.
import type { HumanRequest, RespondToHumanRequestInput } from '@runyard/sdk'
import { checkForm, emptyForm, filledForm, type Problems } from '../schemaValue.ts'
import type { Draft } from './draft.ts'
import { questionsOf } from './asked.ts'

export type Decision = 'approve' | 'reject'

type Asked = Pick<HumanRequest, 'type' | 'questions' | 'title' | 'form_schema' | 'action'>

export const valuesOf = ({ form_schema }: Pick<HumanRequest, 'form_schema'>, draft: Draft): unknown =>
  draft.values ?? emptyForm(form_schema)

/** Why it cannot be sent yet, as a sentence. Undefined: it can. */
export function missingFor(request: Asked, draft: Draft, decision: Decision | undefined): string | undefined {
  if (request.type === 'approval') return decision === undefined ? 'Choose first: approve or reject.' : undefined
  if (request.type !== 'question') return undefined
  const questions = questionsOf(request)
  const open = questions.findIndex((_, at) => !(draft.answers[at] ?? []).some((text) => text.trim() !== ''))
  if (open < 0) return undefined
  const hasOptions = (questions[open]?.options.length ?? 0) > 0
  if (questions.length > 1) return `Question ${open + 1} of ${questions.length} has no answer yet.`
  return hasOptions ? 'Choose an answer first.' : 'Write an answer first.'
}

/** What is wrong with a form before it is sent; the service has the last word. */
export const formProblems = (request: Asked, draft: Draft): Problems =>
  request.type === 'form' ? checkForm(request.form_schema, valuesOf(request, draft)) : {}

export function inputOf(request: Asked, draft: Draft, decision: Decision | undefined): RespondToHumanRequestInput {
  const comment = draft.comment.trim()
  return {
    ...answerOf(request, draft, decision),
    ...(comment !== '' && { comment }),
    ...(request.action && { action_hash: request.action.hash }),
  }
}

function answerOf(request: Asked, draft: Draft, decision: Decision | undefined): RespondToHumanRequestInput {
  if (request.type === 'approval') return { approved: decision === 'approve' }
  if (request.type === 'login') return { done: true }
  if (request.type === 'form') return { values: filledForm(request.form_schema, valuesOf(request, draft)) }
  // fromEntries: a question may be called __proto__
  const answers = questionsOf(request).map(({ question, isMulti }, at): [string, string | string[]] => {
    const given = draft.answers[at] ?? []
    return [question, isMulti ? given : (given[0] ?? '')]
  })
  return { answers: Object.fromEntries(answers) }
}

/** Chooses an option, or takes it back where several may be chosen. */
export function choose(draft: Draft, at: number, label: string, isMulti: boolean): Draft {
  const before = draft.answers[at] ?? []
  const chosen = !isMulti
    ? [label]
    : before.includes(label)
      ? before.filter((one) => one !== label)
      : [...before, label]
  return withAnswer(draft, at, chosen)
}

export function withAnswer(draft: Draft, at: number, answer: string[]): Draft {
  const answers = Array.from({ length: Math.max(draft.answers.length, at + 1) }, (_, n) => draft.answers[n] ?? [])
  return { ...draft, answers: answers.with(at, answer) }
}
