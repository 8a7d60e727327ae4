// A human request as a person reads it: what is asked, and the exact action with all of its arguments.
import type { HumanRequest } from '../../../sdk/src/index.ts'
import { harmless, harmlessLines } from '../output.ts'
import { ageOf } from '../times.ts'

export interface Question {
  question: string
  options?: { label: string; description?: string }[]
  multi_select?: boolean
}

export const questionsOf = ({ questions }: HumanRequest): Question[] => (questions ?? []) as Question[]

/** Safe to print as they are. A line may be wider than the screen. */
export function requestLines(request: HumanRequest): string[] {
  const { type, title, description, action, run_id, created_at, expires_at, on_timeout } = request
  const expiry = expires_at === null ? '' : `, ${on_timeout} at ${expires_at}`
  return [
    harmless(title),
    ...(description && description !== title ? indented(description) : []),
    ...(action ? [`  Action: ${harmless(action.tool)}`, ...indented(argumentText(action.arguments), '    ')] : []),
    ...questionsOf(request).flatMap((question) => questionLines(question, title)),
    `  ${type} of run ${run_id}, asked ${ageOf(created_at)} ago${expiry}`,
  ]
}

const questionLines = ({ question, options = [] }: Question, title: string): string[] => [
  ...(question === title ? [] : indented(question)),
  ...options.map(({ label, description }, index) =>
    harmless(`    ${index + 1}. ${label}${description ? `: ${description}` : ''}`),
  ),
]

/** Text as it is, where there is one field to a line; all else as JSON. */
function argumentText(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value, null, 2)
  return Object.entries(value)
    .map(([name, field]) => `${name}: ${typeof field === 'string' ? field : JSON.stringify(field)}`)
    .join('\n')
}

const indented = (text: string, by = '  '): string[] =>
  harmlessLines(text)
    .split('\n')
    .map((line) => by + line)

/** The lines of a program that answers it, where nobody can be asked. */
export function howToAnswer({ id, type, run_id }: HumanRequest): string {
  const ways = {
    approval: `runyard inbox approve ${id}, or runyard inbox reject ${id}`,
    question: `runyard inbox answer ${id} --answer TEXT`,
    form: `runyard inbox answer ${id} --values JSON`,
    login: `runyard inbox approve ${id} when you have logged in`,
  }
  return `Answer with: ${ways[type]}. Then follow the run with: runyard runs tail ${run_id}`
}
