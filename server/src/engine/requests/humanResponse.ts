// What a person answered, checked against what was asked: only a fitting answer becomes the response, and only what was asked for is stored.
import { checkForm } from './formSchema.ts'
import type { HumanRequest, Question } from './humanRequests.ts'
import type { RequestType } from '../../kit/states.ts'
import { choicesOf } from '../../kit/choices.ts'
import { brief } from '../../kit/json.ts'
import { joinProblems } from '../../kit/problems.ts'

/** The fields of an answer; which one counts is said by the type of the request. */
export interface Given {
  approved?: boolean
  answers?: Record<string, string | string[]>
  values?: Record<string, unknown>
  done?: boolean
  comment?: string | null
}

type CheckedResponse =
  | { response: Record<string, unknown> }
  /** The caller's mistake, by the name of the field. */
  | { misfit: string }
  /** No answer could fit: the agent's own form cannot be used. */
  | { broken: string }

interface Asked extends Pick<HumanRequest, 'type' | 'questions' | 'form_schema'> {
  /** Whether the answer can have a comment. True unless given. */
  takesComment?: boolean
}

export function checkResponse(request: Asked, given: Given): CheckedResponse {
  const comment = given.comment ? { comment: given.comment } : {}
  const checked = checks[request.type](request, given)
  return 'response' in checked ? { response: { ...checked.response, ...comment } } : checked
}

const checks: Record<RequestType, (asked: Asked, given: Given) => CheckedResponse> = {
  approval: (_asked, { approved }) =>
    approved === undefined ? { misfit: 'approved is missing: say true or false.' } : { response: { approved } },
  question: ({ questions, takesComment = true }, { answers }) => checkAnswers(questions ?? [], answers, takesComment),
  form: ({ form_schema }, { values }) => checkValues(form_schema ?? {}, values),
  login: (_asked, { done }) =>
    done === true ? { response: { done } } : { misfit: 'done must be true: it says that you have logged in.' },
}

function checkAnswers(questions: Question[], answers: Given['answers'], takesComment: boolean): CheckedResponse {
  if (answers === undefined)
    return { misfit: 'answers is missing: give one to each question, by the text of the question.' }
  const kept: [string, string | string[]][] = []
  const misfits: string[] = []
  for (const question of questions) {
    const answer = Object.hasOwn(answers, question.question) ? answers[question.question] : undefined
    const chosen = choicesOf(question, answer)
    const misfit = misfitOf(question, chosen, takesComment)
    if (misfit === undefined) kept.push([question.question, question.multi_select ? chosen : chosen[0]!])
    else misfits.push(`answers: ${misfit}`)
  }
  return misfits.length > 0 ? { misfit: joinProblems(misfits) } : { response: { answers: Object.fromEntries(kept) } }
}

/** Agents act on labels, so an answer in other words is refused; everything else goes into the comment. */
function misfitOf(
  { question, options, multi_select }: Question,
  chosen: string[],
  takesComment: boolean,
): string | undefined {
  const name = brief(JSON.stringify(question))
  if (chosen.length === 0) return `${name} has no answer.`
  if (chosen.length > 1 && !multi_select) return `${name} takes one answer, not ${chosen.length}.`
  const strange = options && chosen.find((text) => !options.some(({ label }) => label === text))
  if (strange === undefined) return undefined
  const labels = brief(options!.map(({ label }) => label).join(', '))
  return `${name} takes one of: ${labels}.${takesComment ? ' Say anything else in comment.' : ''}`
}

function checkValues(schema: Record<string, unknown>, values: Given['values']): CheckedResponse {
  if (values === undefined) return { misfit: 'values is missing: it holds what was filled into the form.' }
  const checked = checkForm(schema, values)
  return 'fits' in checked ? { response: { values } } : checked
}
