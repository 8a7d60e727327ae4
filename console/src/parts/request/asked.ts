// What a request asks, read from what an agent wrote: nothing of it is taken on trust.
import type { HumanRequest } from '@runyard/sdk'

export interface Option {
  label: string
  description?: string
}

export interface Question {
  question: string
  header?: string
  /** None: the answer is in words. */
  options: Option[]
  isMulti: boolean
}

type Fields = Record<string, unknown>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const textIn = (fields: Fields, name: string): string | undefined => {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function questionsOf({
  type,
  questions,
  title,
}: Pick<HumanRequest, 'type' | 'questions' | 'title'>): Question[] {
  if (type !== 'question') return []
  const found = Array.isArray(questions) ? questions.filter(isFields).map(questionOf) : []
  return found.length > 0 ? found : [{ question: title, options: [], isMulti: false }]
}

function questionOf(fields: Fields): Question {
  const header = textIn(fields, 'header')
  return {
    question: textIn(fields, 'question') ?? '',
    ...(header !== undefined && { header }),
    options: Array.isArray(fields['options']) ? fields['options'].filter(isFields).map(optionOf) : [],
    isMulti: fields['multi_select'] === true,
  }
}

function optionOf(fields: Fields): Option {
  const description = textIn(fields, 'description')
  return { label: textIn(fields, 'label') ?? '', ...(description !== undefined && { description }) }
}

/** What somebody answered, as the service stored it. */
export interface Response {
  approved: boolean | undefined
  /** Question and what was answered. */
  answers: [string, string][]
  values: Fields | undefined
  comment: string | undefined
}

export function responseOf(response: unknown): Response {
  const fields = isFields(response) ? response : {}
  const { approved, answers, values } = fields
  return {
    approved: typeof approved === 'boolean' ? approved : undefined,
    answers: isFields(answers)
      ? Object.entries(answers).map(([question, answer]) => [question, [answer].flat().map(String).join(', ')])
      : [],
    values: isFields(values) ? values : undefined,
    comment: textIn(fields, 'comment'),
  }
}

/** An approval of a call that the service holds back; the agent's own question is none. */
export const isOfCall = ({ action }: Pick<HumanRequest, 'action'>): boolean =>
  action !== null && action.tool !== 'human_approve'
