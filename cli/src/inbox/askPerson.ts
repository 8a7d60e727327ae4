// Asks the person at the terminal for the answer to a human request, and sends it.
import { ConflictError, InvalidRequestError, type HumanRequest, type PendingRequest } from '../../../sdk/src/index.ts'
import { CommandFailed } from '../command.ts'
import type { Keyboard } from '../keyboard.ts'
import { harmless, type Output } from '../output.ts'
import { questionsOf, requestLines, type Question } from './requestLines.ts'

export interface Asking {
  keyboard: Keyboard
  out: Output
  signal: AbortSignal
}

/** Shows all of the request, and asks until it is answered or the person leaves it. True when it was answered. */
export async function askPerson(pending: PendingRequest, asking: Asking): Promise<boolean> {
  const { out } = asking
  await asking.keyboard.forget()
  out.note('')
  for (const line of requestLines(pending.request)) out.note(line)
  for (;;) {
    try {
      const answered = await askOnce(pending, asking)
      return answered !== undefined
    } catch (error) {
      // what does not fit can be corrected; what somebody else answered first is over
      if (error instanceof ConflictError) {
        out.note(error.message)
        return true
      }
      if (!(error instanceof InvalidRequestError || error instanceof CommandFailed)) throw error
      out.note(error.message)
    }
  }
}

async function askOnce(pending: PendingRequest, asking: Asking): Promise<HumanRequest | undefined> {
  const { type } = pending.request
  if (type === 'question') return askQuestions(pending, asking)
  if (type === 'form') return askForm(pending, asking)
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
    const label = question.options?.length ? 'Number or label' : 'Answer'
    const text = await asking.keyboard.line(`${label} (Esc: later): `, asking.signal)
    if (text === undefined) return undefined
    answers[question.question] = choiceOf(question, text)
  }
  return pending.answer(answers)
}

/** The label behind a number. With several, numbers and labels have commas between them. */
function choiceOf({ options = [], multi_select = false }: Question, text: string): string | string[] {
  const labelOf = (one: string): string => options[Number(one) - 1]?.label ?? one
  return multi_select ? text.split(',').map((one) => labelOf(one.trim())) : labelOf(text.trim())
}

interface Field {
  type?: string | string[]
  title?: string
  description?: string
  enum?: unknown[]
}

interface FormSchema {
  properties?: Record<string, Field>
  required?: string[]
}

async function askForm(pending: PendingRequest, asking: Asking): Promise<HumanRequest | undefined> {
  const { properties = {}, required = [] } = (pending.request.form_schema ?? {}) as FormSchema
  const values: [string, unknown][] = []
  for (const [name, field] of Object.entries(properties)) {
    const label = harmless(field.title ?? field.description ?? name)
    const choices = field.enum ? ` (${harmless(field.enum.join(', '))})` : ''
    const text = await asking.keyboard.line(`${label}${choices}: `, asking.signal)
    if (text === undefined) return undefined
    if (text !== '' || required.includes(name)) values.push([name, valueOf(field, text, label)])
  }
  return pending.answer(Object.fromEntries(values))
}

/** What is not text is typed as JSON; yes and no stand for true and false. */
function valueOf({ type }: Field, text: string, label: string): unknown {
  const types = [type ?? 'string'].flat()
  if (types.includes('string')) return text
  if (types.includes('boolean') && /^(y|yes|n|no)$/i.test(text)) return /^y/i.test(text)
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw new CommandFailed(`${label} must be ${types.join(' or ')}.`, { cause: error })
  }
}
