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

/** Safe to print as they are. A line may be wider than the screen. `isAskedNext`: its questions follow, so they are left out. */
export function requestLines(request: HumanRequest, { isAskedNext = false } = {}): string[] {
  const { type, title, description, action, run_id, created_at, expires_at, on_timeout } = request
  return [
    harmless(title),
    ...(description && description !== title ? indented(description) : []),
    ...(action ? actionLines(action, [title, description]) : []),
    ...(isAskedNext ? [] : questionsOf(request).flatMap((question) => questionLines(question, title))),
    ...(isAskedNext ? [] : formLines(request)),
    `  ${type} of run ${run_id}, asked ${ageOf(created_at)} ago`,
    ...approvalLines(request),
    ...(expires_at === null ? [] : [`  Without an answer until ${minuteOf(expires_at)}, ${onTimeouts[on_timeout]}.`]),
  ]
}

/** How many people must approve, where it is more than one. */
function approvalLines({ approvals_needed: needed = 1, approvals = [] }: HumanRequest): string[] {
  if (needed < 2) return []
  const left = needed - approvals.length
  return [
    `  ${approvals.length} of ${needed} approvals; ${left === 1 ? 'one more person' : `${left} people`} must approve`,
  ]
}

const onTimeouts: Record<HumanRequest['on_timeout'], string> = {
  fail: 'the call fails',
  approve: 'it counts as approved',
  reject: 'it counts as refused',
  continue: 'the run continues without one',
}

/** `2026-11-19 00:11 UTC` */
const minuteOf = (time: string): string => `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`

const questionLines = ({ question, options = [] }: Question, title: string): string[] => [
  ...(question === title ? [] : indented(question)),
  ...options.map(({ label, description }, index) =>
    harmless(`    ${index + 1}. ${label}${description ? `: ${description}` : ''}`),
  ),
]

/** The names of its fields, those that are needed first. */
function formLines({ form_schema }: HumanRequest): string[] {
  const { properties, required: given } = (form_schema ?? {}) as { properties?: object; required?: unknown }
  const required: string[] = Array.isArray(given) ? given : []
  const titles = new Map(
    Object.entries((properties ?? {}) as Record<string, { title?: unknown } | null>).map(([name, field]) => {
      const title = field?.title
      return [name, typeof title === 'string' ? title : name]
    }),
  )
  const needed = required.flatMap((name) => titles.get(name) ?? [])
  const optional = [...titles].flatMap(([name, title]) => (required.includes(name) ? [] : [`${title} (optional)`]))
  return titles.size === 0 ? [] : [harmless(`  Form: ${[...needed, ...optional].join(', ')}`)]
}

/** `shown`: what stands above. An agent that asks by itself says the same in the arguments of its call. */
function actionLines({ tool, arguments: given }: NonNullable<HumanRequest['action']>, shown: unknown[]): string[] {
  const text = argumentText(given, shown)
  return [`  Action: ${harmless(tool)}`, ...(text === '' ? [] : indented(text, '    '))]
}

/** Text as it is, where there is one field to a line; all else as JSON. */
function argumentText(value: unknown, shown: unknown[]): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value, null, 2)
  return Object.entries(value)
    .filter(([, field]) => !(typeof field === 'string' && shown.includes(field)))
    .map(([name, field]) => `${name}: ${typeof field === 'string' ? field : JSON.stringify(field)}`)
    .join('\n')
}

const indented = (text: string, by = '  '): string[] =>
  harmlessLines(text)
    .split('\n')
    .map((line) => by + line)

/** What to type where nobody can be asked: the commands that answer it, and then the one that follows the run. */
export function howToAnswer({ id, type, run_id }: HumanRequest): { answer: string; follow: string } {
  const ways = {
    approval: `runyard inbox approve ${id}, or runyard inbox reject ${id}`,
    question: `runyard inbox answer ${id} --answer TEXT`,
    form: `runyard inbox answer ${id} --values JSON`,
    login: `runyard inbox approve ${id} when you have logged in`,
  }
  return { answer: ways[type], follow: `runyard runs tail ${run_id}` }
}
