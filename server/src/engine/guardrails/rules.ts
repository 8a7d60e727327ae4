// The rules of a team's guardrails: one version, as it is stored and as the engine reads it.
import { weekOf, type QuietSpan } from './quietHours.ts'

/** What a team decided; the same names are on the wire and in the row. */
export interface GuardrailDocument {
  /** Patterns of tool names: a person must allow each call. */
  always_ask: string[]
  /** Patterns of tool names: two people must allow each call. */
  two_person: string[]
  /** Null: every host. */
  allowed_hosts: string[] | null
  /** Ids; null: every connection. */
  allowed_connections: string[] | null
  /** Decimal text: money is never a float. */
  cost_usd_per_day: string | null
  runs_per_day: number | null
  outside_calls_per_day: number | null
  quiet_hours: QuietSpan[]
  time_zone: string
}

export const ruleNames = [
  'always_ask',
  'two_person',
  'allowed_hosts',
  'allowed_connections',
  'quiet_hours',
  'outside_calls_per_day',
  'runs_per_day',
  'cost_usd_per_day',
] as const
export type RuleName = (typeof ruleNames)[number]

/** What a rule is called in a sentence. */
export const ruleWords: Record<RuleName, string> = {
  always_ask: 'tools that always ask',
  two_person: 'tools that need two people',
  allowed_hosts: 'allowed hosts',
  allowed_connections: 'allowed connections',
  quiet_hours: 'quiet hours',
  outside_calls_per_day: 'outside calls a day',
  runs_per_day: 'runs a day',
  cost_usd_per_day: 'dollars a day',
}

export const noRules: GuardrailDocument = {
  always_ask: [],
  two_person: [],
  allowed_hosts: null,
  allowed_connections: null,
  cost_usd_per_day: null,
  runs_per_day: null,
  outside_calls_per_day: null,
  quiet_hours: [],
  time_zone: 'UTC',
}

/** A version that is ready to be asked. */
export interface Rules extends GuardrailDocument {
  version: number
  /** When it became live. */
  since: Date
  /** Whether each minute of a week on the wall is quiet, from Monday 00:00 on; null: none is. */
  quietWeek: Uint8Array | null
  /** How many people must allow a call of a tool, as far as it was asked. */
  askedFor: Map<string, 0 | 1 | 2>
}

export const rulesOf = (document: GuardrailDocument, version: number, since: Date): Rules => ({
  ...noRules,
  ...document,
  version,
  since,
  quietWeek: document.quiet_hours.length > 0 ? weekOf(document.quiet_hours) : null,
  askedFor: new Map(),
})

/** Whether a tool's name fits a pattern, in which `*` stands for any characters. Takes at most the product of both lengths in steps. */
export function fitsPattern(pattern: string, name: string): boolean {
  let [at, from, star, resume] = [0, 0, -1, 0]
  while (at < name.length) {
    if (pattern[from] === '*') {
      star = from
      resume = at
      from += 1
    } else if (from < pattern.length && pattern[from] === name[at]) {
      from += 1
      at += 1
    } else if (star >= 0) {
      from = star + 1
      resume += 1
      at = resume
    } else return false
  }
  while (pattern[from] === '*') from += 1
  return from === pattern.length
}

/** Whether a host, or all of `*.example.com`, is among the allowed ones. */
export const isAllowedHost = (allowed: readonly string[], host: string): boolean =>
  allowed.some((one) => one === host || (one.startsWith('*.') && host.endsWith(one.slice(1)) && host !== one.slice(2)))
