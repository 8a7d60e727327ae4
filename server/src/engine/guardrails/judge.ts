// What the rules of a team say about one call: the live run and the dry run ask the same functions.
import { isId } from '../../base/ids.ts'
import type { Context } from '../../kit/context.ts'
import { hostOf, type Bound, type Leaving, type Tool } from '../../kit/tool.ts'
import { isMore } from '../ledger/money.ts'
import { quietUntil } from './quietHours.ts'
import { fitsPattern, isAllowedHost, ruleWords, type RuleName, type Rules } from './rules.ts'

/** `refused`: the call fails. `asks`: people must allow it. `waits`: it is made later, at `until` at the earliest. */
type StopWay = 'refused' | 'asks' | 'waits'

export interface Stop {
  rule: RuleName
  way: StopWay
  version: number
  /** A sentence for the agent and for whoever reads the run. */
  says: string
  /** Milliseconds; only where it waits. */
  until?: number
}

/** What a call does to the world outside, by its tool's own words; undefined: nothing. */
export function leavingOf(tool: Tool, args: unknown, context: Context): Leaving | undefined {
  if (tool.kind !== 'outside' || tool.leaves === 'never') return undefined
  return tool.leaves(args as never, context)
}

/** How many names of tools are remembered: a model may invent them. */
const namesMax = 1000

/** How many people must allow a call, whatever the build says. A tool that asks people itself is never held back. */
export function peopleFor(rules: Rules | undefined, tool: Tool, args: unknown): number {
  if (!rules || (tool.kind === 'waiting' && tool.waitsFor === 'human')) return 0
  const others = tool.kind === 'outside' ? (tool.actsAs?.(args as never) ?? []) : []
  return Math.max(...[tool.name, ...others].map((name) => peopleForName(rules, name)))
}

function peopleForName(rules: Rules, name: string): 0 | 1 | 2 {
  const known = rules.askedFor.get(name)
  if (known !== undefined) return known
  const fits = (patterns: readonly string[]) => patterns.some((pattern) => fitsPattern(pattern, name))
  const people = fits(rules.two_person) ? 2 : fits(rules.always_ask) ? 1 : 0
  if (rules.askedFor.size < namesMax) rules.askedFor.set(name, people)
  return people
}

/** `isAskedAnyway`: the build or the tool asks one person already. */
export function stopToAsk(
  rules: Rules | undefined,
  tool: Tool,
  args: unknown,
  isAskedAnyway: boolean,
): Stop | undefined {
  const people = peopleFor(rules, tool, args)
  if (!rules || people === 0 || (people === 1 && isAskedAnyway)) return undefined
  const { version } = rules
  return people === 2
    ? { rule: 'two_person', way: 'asks', version, says: said(rules, 'two_person', 'Two people must allow this call.') }
    : { rule: 'always_ask', way: 'asks', version, says: said(rules, 'always_ask', 'A person must allow this call.') }
}

/** What is refused by the arguments alone. A connection counts here only by its id. */
export function stopToRefuse(rules: Rules | undefined, leaving: Leaving | undefined): Stop | undefined {
  if (!rules || !leaving) return undefined
  const { allowed_hosts: hosts, version } = rules
  const host = hosts && leaving.hosts.find((one) => !isAllowedHost(hosts, one))
  if (host) {
    const says = said(rules, 'allowed_hosts', `${host} is not among the allowed hosts, so this call is not made.`)
    return { rule: 'allowed_hosts', way: 'refused', version, says }
  }
  const { connection } = leaving
  return connection !== undefined && isId(connection) ? stopByConnection(rules, connection) : undefined
}

/** `connectionId`: the connection that the call uses, once it is known; null: it names one that there is not. */
function stopByConnection(rules: Rules | undefined, connectionId: string | null): Stop | undefined {
  if (!rules?.allowed_connections || (connectionId !== null && rules.allowed_connections.includes(connectionId)))
    return undefined
  const says = said(
    rules,
    'allowed_connections',
    'The connection of this call is not among the allowed ones, so this call is not made.',
  )
  return { rule: 'allowed_connections', way: 'refused', version: rules.version, says }
}

/** What a call with a connection is bound to names the connection, and the URL of its server where it has one. */
export function stopByBound(rules: Rules, bound: Bound): Stop | undefined {
  const { connection_id: id = null, server_url: url = null } = bound
  const host = typeof url === 'string' ? hostOf(url) : null
  return (
    stopByConnection(rules, typeof id === 'string' ? id : null) ??
    stopToRefuse(rules, { isEffect: true, hosts: host === null ? [] : [host] })
  )
}

/** Reading outside is no effect, and does not wait. */
export function stopByHour(rules: Rules | undefined, leaving: Leaving | undefined, at: number): Stop | undefined {
  if (!rules?.quietWeek || !leaving?.isEffect) return undefined
  const until = quietUntil(rules.quietWeek, rules.time_zone, at)
  if (until === undefined) return undefined
  const says = said(rules, 'quiet_hours', `No call has an effect outside before ${new Date(until).toISOString()}.`)
  return { rule: 'quiet_hours', way: 'waits', version: rules.version, says, until }
}

export function stopByCalls(rules: Rules, until: number): Stop {
  const made = `The ${rules.outside_calls_per_day} calls of this day that leave the service are made.`
  return {
    rule: 'outside_calls_per_day',
    way: 'waits',
    version: rules.version,
    says: said(rules, 'outside_calls_per_day', made),
    until,
  }
}

/** `worst`: the most that the call may cost; a whole day may be too small for it. */
export function stopByCost(rules: Rules, until: number, worst: string): Stop {
  const { cost_usd_per_day: limit } = rules
  const isBeyondDay = limit !== null && isMore(worst, limit)
  const sentence = isBeyondDay
    ? `The next call of the model may cost up to ${worst} dollars, more than the ${limit} dollars of a whole day: it waits until somebody allows more a day.`
    : `The next call of the model may cost up to ${worst} dollars, which does not fit into what is left of the ${limit} dollars of this day.`
  const says = said(rules, 'cost_usd_per_day', sentence)
  return { rule: 'cost_usd_per_day', way: 'waits', version: rules.version, says, until }
}

/** Every sentence names its rule and its version, so that whoever reads it finds what to change. */
const said = ({ version }: Rules, rule: RuleName, sentence: string): string =>
  `${sentence} (The team’s guardrails, version ${version}: ${ruleWords[rule]}.)`

const dayMs = 86_400_000

/** Where the day after this instant begins, in UTC. */
export const nextDay = (at: number): number => (Math.floor(at / dayMs) + 1) * dayMs

/** The midnight nearest to this many seconds from now: clocks may differ, and the day may end while somebody asks. */
export const midnightIn = (seconds: number, now: number): number => Math.round((now + seconds * 1000) / dayMs) * dayMs
