// Rules as somebody types them: lists a line each, quiet hours as `mon tue 22:00-06:00`, bounds as numbers; and back.
import type { GuardrailRules, SetGuardrailsInput } from '@runyard/sdk'
import { isAmount } from '../../../parts/isAmount.ts'

/** The fields of the form, each as text. */
export interface RulesText {
  always_ask: string
  two_person: string
  allowed_hosts: string
  allowed_connections: string
  cost_usd_per_day: string
  runs_per_day: string
  outside_calls_per_day: string
  quiet_hours: string
  time_zone: string
}
export type RuleField = keyof RulesText
export type FieldProblems = Partial<Record<RuleField, string>>

const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
type Weekday = (typeof weekdays)[number]
type Span = GuardrailRules['quiet_hours'][number]

/** What allows nothing, in a list whose empty text allows everything. */
export const noneWord = 'none'

export const listText = (list: string[] | null): string =>
  list === null ? '' : list.length === 0 ? noneWord : list.join('\n')

export const textOf = (rules: GuardrailRules): RulesText => ({
  always_ask: rules.always_ask.join('\n'),
  two_person: rules.two_person.join('\n'),
  allowed_hosts: listText(rules.allowed_hosts),
  allowed_connections: listText(rules.allowed_connections),
  cost_usd_per_day: rules.cost_usd_per_day ?? '',
  runs_per_day: rules.runs_per_day?.toString() ?? '',
  outside_calls_per_day: rules.outside_calls_per_day?.toString() ?? '',
  quiet_hours: rules.quiet_hours.map(({ days, from, to }) => `${days.join(' ')} ${from}-${to}`).join('\n'),
  time_zone: rules.time_zone,
})

const linesOf = (text: string): string[] => text.split(/[\s,]+/).filter((one) => one !== '')

/** An empty list of hosts or connections is no rule: a team that wants none allowed writes `none`. */
export function listOrNull(text: string): string[] | null {
  const lines = linesOf(text)
  if (lines.length === 0) return null
  return lines.length === 1 && lines[0] === noneWord ? [] : lines
}

/** What can be sent, and what cannot be read. */
export function rulesIn(text: RulesText): { rules: SetGuardrailsInput['rules']; problems: FieldProblems } {
  const problems: FieldProblems = {}
  const bound = (field: 'runs_per_day' | 'outside_calls_per_day'): number | null => {
    const given = text[field].trim()
    if (given === '') return null
    if (!/^\d{1,10}$/.test(given)) problems[field] = 'This must be a whole number.'
    return Number(given)
  }
  const spans: Span[] = []
  for (const line of text.quiet_hours.split('\n').filter((one) => one.trim() !== '')) {
    const span = spanIn(line)
    if (span) spans.push(span)
    else problems.quiet_hours = `“${line.trim()}” cannot be read. Write days and a time, such as: sat sun 00:00-24:00`
  }
  const cost = text.cost_usd_per_day.trim()
  if (cost !== '' && !isAmount(cost)) problems.cost_usd_per_day = 'This must be an amount, such as 50 or 2.5.'
  const rules = {
    always_ask: linesOf(text.always_ask),
    two_person: linesOf(text.two_person),
    allowed_hosts: listOrNull(text.allowed_hosts),
    allowed_connections: listOrNull(text.allowed_connections),
    cost_usd_per_day: cost === '' ? null : cost,
    runs_per_day: bound('runs_per_day'),
    outside_calls_per_day: bound('outside_calls_per_day'),
    quiet_hours: spans,
    time_zone: text.time_zone.trim() || 'UTC',
  }
  return { rules, problems }
}

/** `daily` is every day, `mon-fri` a row of days. */
function spanIn(line: string): Span | undefined {
  const [, words = '', from = '', to = ''] =
    /^(.*?)\s+(\d\d:\d\d)\s*-\s*(\d\d:\d\d)$/.exec(line.trim().toLowerCase()) ?? []
  const days = new Set(words.split(/[\s,]+/).flatMap(daysIn))
  return words !== '' && !days.has(undefined) ? { days: weekdays.filter((day) => days.has(day)), from, to } : undefined
}

function daysIn(word: string): (Weekday | undefined)[] {
  if (word === 'daily') return [...weekdays]
  const [first, last = first] = word.split('-').map((name) => weekdays.findIndex((day) => day === name))
  if (first === undefined || last === undefined || first < 0 || last < first) return [undefined]
  return weekdays.slice(first, last + 1)
}

const fields: RuleField[] = [
  'always_ask',
  'two_person',
  'allowed_hosts',
  'allowed_connections',
  'cost_usd_per_day',
  'runs_per_day',
  'outside_calls_per_day',
  'quiet_hours',
  'time_zone',
]

/** It stands at its field, which need not be named again. */
const placeOf = /^(?:body\.)?rules\.\w+(?:\[\d+\])?: /

/** The sentences of a refusal at the fields that they name; `rest` is what names none. */
export function problemsIn(message: string): { problems: FieldProblems; rest: string } {
  const problems: FieldProblems = {}
  const rest: string[] = []
  for (const piece of message.split(/ (?=(?:body\.)?rules[.:])/)) {
    const name = /^(?:body\.)?rules\.(\w+)/.exec(piece)?.[1]
    const field = fields.find((one) => one === name)
    if (!field) rest.push(piece)
    else problems[field] = [problems[field], piece.replace(placeOf, '')].filter(Boolean).join(' ')
  }
  return { problems, rest: rest.join(' ') }
}

const headings: Record<RuleField, { says: string; without: string }> = {
  always_ask: { says: 'Tools that always ask', without: 'none' },
  two_person: { says: 'Tools that need two people', without: 'none' },
  allowed_hosts: { says: 'Allowed hosts', without: 'every host' },
  allowed_connections: { says: 'Allowed connections', without: 'every connection' },
  cost_usd_per_day: { says: 'Dollars a day for models', without: 'no bound' },
  runs_per_day: { says: 'Runs a day', without: 'no bound' },
  outside_calls_per_day: { says: 'Outside calls a day', without: 'no bound' },
  quiet_hours: { says: 'Quiet hours', without: 'none' },
  time_zone: { says: 'Time zone of the quiet hours', without: 'UTC' },
}

/** All rules as a page of lines, in the order of the form, so that two versions can be compared. `nameOf`: the name of a connection. */
export function pageOf(rules: GuardrailRules, nameOf: (connectionId: string) => string): string {
  const text = textOf({ ...rules, allowed_connections: rules.allowed_connections?.map(nameOf) ?? null })
  return fields
    .flatMap((field) => [
      headings[field].says,
      ...(text[field] || headings[field].without).split('\n').map((line) => `  ${line}`),
    ])
    .join('\n')
}
