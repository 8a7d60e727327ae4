// What a caller wants of a rule, checked as a whole: every problem is named at once.
import type { Sql } from '../../base/db.ts'
import { Fault } from '../../base/errors.ts'
import { isId } from '../../base/ids.ts'
import { refuseFor } from '../../kit/problems.ts'
import { Type, type Static } from '../../kit/schema.ts'
import type { Scope } from '../../kit/scopes.ts'
import { optionalRuleFields, ruleFields, type AlertRule } from './alertRule.ts'
import { scopeName } from './scopeName.ts'
import { factsOf, valueText } from './signals/signal.ts'

export const NewRule = Type.Object(
  {
    name: ruleFields.name,
    signal: ruleFields.signal,
    scope: Type.Optional(ruleFields.scope),
    scope_id: Type.Optional(ruleFields.scope_id),
    threshold: ruleFields.threshold,
    ...optionalRuleFields,
  },
  { examples: [{ name: 'Runs fail', signal: 'failure_rate', threshold: 50, window_minutes: 60, for_minutes: 5 }] },
)
export type NewRule = Static<typeof NewRule>

type WantedRule = Pick<
  AlertRule,
  | 'name'
  | 'signal'
  | 'scope'
  | 'scope_id'
  | 'threshold'
  | 'clear_threshold'
  | 'window_minutes'
  | 'min_runs'
  | 'for_minutes'
  | 'clear_minutes'
  | 'remind_hours'
  | 'tells'
  | 'pause_agent'
  | 'enabled'
>

const usualMinRuns = 5
const usualClearMinutes = 5
/** Four fifths: far enough below to be well again, near enough to be reached. */
const usualClear = 0.8

type Given = Omit<NewRule, 'clear_threshold'> & { clear_threshold?: number | undefined }

interface Asked {
  sql: Sql
  teamId: string
  caller: { scopes: ReadonlySet<Scope> }
  given: Given
  /** Whom it tells was not checked before. A member who has left since then is no reason to refuse another change. */
  hasNewMembers?: boolean
}

/** A rule tells what its signal measures, so only whoever may read that makes, changes or tries one. */
export async function requireRule({ sql, teamId, caller, given, hasNewMembers = true }: Asked): Promise<WantedRule> {
  const { window, threshold: bounds, readBy } = factsOf[given.signal]
  if (!caller.scopes.has(readBy)) {
    throw new Fault('insufficient_scope', `The signal ${given.signal} is for credentials with the scope ${readBy}.`)
  }
  const wanted: WantedRule = {
    name: given.name,
    signal: given.signal,
    scope: given.scope ?? 'team',
    scope_id: given.scope_id ?? null,
    threshold: given.threshold,
    clear_threshold: given.clear_threshold ?? given.threshold * usualClear,
    window_minutes: given.window_minutes ?? window?.usual ?? null,
    min_runs: given.min_runs ?? (given.signal === 'failure_rate' ? usualMinRuns : null),
    for_minutes: given.for_minutes ?? 0,
    clear_minutes: given.clear_minutes ?? usualClearMinutes,
    remind_hours: given.remind_hours ?? null,
    tells: given.tells ? [...new Set(given.tells)] : null,
    pause_agent: given.pause_agent ?? false,
    enabled: given.enabled ?? true,
  }
  const problems = [...problemsOf(wanted)]
  if (wanted.threshold < bounds.min || wanted.threshold > bounds.max) {
    problems.push(
      `threshold must be ${valueText(wanted.signal, bounds.min)} to ${valueText(wanted.signal, bounds.max)} with ${wanted.signal}.`,
    )
  }
  problems.push(...(await strangersOf(sql, teamId, hasNewMembers ? wanted : { ...wanted, tells: null })))
  refuseFor(problems)
  return wanted
}

function* problemsOf(wanted: WantedRule): Generator<string> {
  const { signal, scope, scope_id, window_minutes: minutes, threshold, clear_threshold } = wanted
  const { scopes, window } = factsOf[signal]
  if (!scopes.includes(scope)) yield `scope must be ${scopes.join(' or ')} with ${signal}.`
  if ((scope === 'team') !== (scope_id === null))
    yield scope === 'team' ? 'scope_id must be absent with the scope team.' : `scope_id must be the id of the ${scope}.`
  if (clear_threshold > threshold) yield 'clear_threshold must not be above threshold.'
  if (clear_threshold <= 0) yield 'clear_threshold must be above 0: otherwise an incident would never close.'
  if (!window && minutes !== null) yield `window_minutes does not go with ${signal}: its value is of this moment.`
  if (window && minutes !== null && (minutes < window.min || minutes > window.max || minutes % window.step !== 0)) {
    const steps = window.step === 1 ? '' : `, in steps of ${window.step}`
    yield `window_minutes must be ${window.min} to ${window.max}${steps} with ${signal}.`
  }
  if (wanted.min_runs !== null && signal !== 'failure_rate') yield 'min_runs goes only with failure_rate.'
  if (wanted.pause_agent && scope !== 'agent') yield 'pause_agent goes only with the scope agent.'
}

async function strangersOf(sql: Sql, teamId: string, { scope, scope_id, tells }: WantedRule): Promise<string[]> {
  const problems: string[] = []
  if (scope !== 'team' && scope_id !== null) {
    const name = isId(scope_id) ? await scopeName(sql, { team_id: teamId, scope, scope_id }) : undefined
    if (name === undefined) problems.push(`scope_id: this team has no ${scope} with this id.`)
  }
  if (tells !== null && tells.length > 0) {
    const known = await sql<{ id: string }>`
      select id from members where team_id = ${teamId} and id = any(${tells.filter(isId)}::uuid[]) and removed_at is null`
    const ids = new Set(known.map(({ id }) => id))
    for (const id of tells) if (!ids.has(id.toLowerCase())) problems.push(`tells: this team has no member ${id}.`)
  }
  return problems
}
