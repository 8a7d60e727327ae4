// Asks the person at the terminal for the answer to a human request, and sends it.
import { ConflictError, InvalidRequestError, type HumanRequest, type PendingRequest } from '../../../sdk/src/index.ts'
import type { Keyboard } from '../keyboard.ts'
import type { Output } from '../output.ts'
import { choose } from './choose.ts'
import { questionsOf, requestLines, type Question } from './requestLines.ts'

export interface Asking {
  keyboard: Keyboard
  out: Output
  signal: AbortSignal
}

/** Shows all of the request, and asks until it is answered or the person leaves it. True when it was answered. */
export function askPerson(pending: PendingRequest, asking: Asking): Promise<boolean> {
  return asking.keyboard.hold(() => askUntilAnswered(pending, asking))
}

async function askUntilAnswered(pending: PendingRequest, asking: Asking): Promise<boolean> {
  const { out } = asking
  await asking.keyboard.forget()
  out.note('')
  for (const line of requestLines(pending.request, { isAskedNext: true })) out.note(line)
  const ask = askFor(pending, asking)
  for (;;) {
    try {
      const answered = await ask()
      if (!answered && !isYesOrNo(pending.request)) out.note('  Left for later.')
      return answered !== undefined
    } catch (error) {
      // what does not fit can be corrected; what somebody else answered first is over
      if (error instanceof ConflictError) {
        out.note(error.message)
        return true
      }
      if (!(error instanceof InvalidRequestError)) throw error
      out.note(error.message)
    }
  }
}

/** Whether one key answers it. */
export const isYesOrNo = ({ type }: HumanRequest): boolean => type === 'approval' || type === 'login'

type Ask = () => Promise<HumanRequest | undefined>

function askFor(pending: PendingRequest, asking: Asking): Ask {
  const { type, form_schema } = pending.request
  if (type === 'question') return () => askQuestions(pending, asking)
  if (isYesOrNo(pending.request)) return () => askYesOrNo(pending, asking)
  let values: Record<string, unknown> = {}
  return async () => {
    const { askForm } = await import('./askForm.ts')
    const given = await askForm(form_schema, values, asking)
    if (!given) return undefined
    values = given
    return pending.answer(given)
  }
}

async function askYesOrNo(pending: PendingRequest, asking: Asking): Promise<HumanRequest | undefined> {
  const { type } = pending.request
  const yes = type === 'login' ? 'd logged in' : 'a approve'
  asking.out.draw(`${yes} · r reject · l later: `)
  for (;;) {
    const { name } = await asking.keyboard.key(asking.signal)
    if (name === (type === 'login' ? 'd' : 'a')) return said(asking.out, yes.slice(2), pending.approve())
    if (name === 'r') return rejectWithReason(pending, asking)
    if (['l', 'q', 'escape'].includes(name)) {
      asking.out.draw('later\n')
      return undefined
    }
  }
}

function said<Value>(out: Output, text: string, value: Value): Value {
  out.draw(`${text}\n`)
  return value
}

export async function rejectWithReason(pending: PendingRequest, asking: Asking): Promise<HumanRequest | undefined> {
  const reason = await asking.keyboard.line('Reason (Esc: later): ', asking.signal)
  return reason === undefined ? undefined : pending.reject(reason === '' ? undefined : reason)
}

async function askQuestions(pending: PendingRequest, asking: Asking): Promise<HumanRequest | undefined> {
  const answers: Record<string, string | string[]> = {}
  for (const question of questionsOf(pending.request)) {
    if (question.question !== pending.request.title) asking.out.note(question.question)
    const answer = await (question.options?.length ? askChoices(question, asking) : askWords(asking))
    if (answer === undefined) return undefined
    answers[question.question] = answer
  }
  return pending.answer(answers)
}

async function askChoices(question: Question, asking: Asking): Promise<string | string[] | undefined> {
  const { options = [], multi_select: several = false } = question
  const choices = options.map(({ label, description: about }) => ({ label, about }))
  for (;;) {
    const found = await choose(choices, { several, chosen: [] }, asking)
    if (!found) return undefined
    const labels = options.filter((_, index) => found.includes(index)).map(({ label }) => label)
    if (labels.length === 0) {
      asking.out.note('  Choose at least one with Space. Esc leaves it for later.')
      continue
    }
    asking.out.note(`  ❯ ${labels.join(', ')}`)
    return several ? labels : labels[0]
  }
}

async function askWords({ keyboard, out, signal }: Asking): Promise<string | undefined> {
  for (;;) {
    const text = await keyboard.line('Answer (Esc: later): ', signal)
    if (text === undefined || text.trim() !== '') return text
    out.note('  An answer is needed. Esc leaves it for later.')
  }
}
