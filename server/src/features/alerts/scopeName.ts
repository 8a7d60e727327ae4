// The record that a rule is about, and its name.
import { part, type Part, type Sql } from '../../base/db.ts'
import type { Scope } from './signals/signal.ts'

/** The host of a URL, with its port if it has one. */
const host = '^[^:]*://(?:[^/?#]*@)?([^/?#]*)'

/** SQL over the records that a scope can be, as `s`, with their names. */
const recordOf: Record<Exclude<Scope, 'team'>, Part> = {
  agent: part`(select id, team_id, name from agents where deleted_at is null and not is_hidden) s`,
  queue: part`(select id, team_id, name from queues) s`,
  // every other part of a URL may hold a secret
  webhook: part`(
    select id, team_id, substring(url from ${host}::text) as name from delivery_targets
    where kind = 'subscription' and deleted_at is null) s`,
  schedule: part`(
    select s.id, s.team_id, concat('a schedule of ', a.name) as name from schedules s join agents a on a.id = s.agent_id) s`,
}

/** SQL: the name of what the rule `r` is about; null: the team, or it is gone. */
export const scopeNameOf = part`case r.scope ${Object.entries(recordOf)
  .map(
    ([scope, record]) =>
      part`when ${scope} then (select s.name from ${record} where s.id = r.scope_id and s.team_id = r.team_id)`,
  )
  .reduce((all, one) => part`${all} ${one}`)} end`

interface Asked {
  team_id: string
  scope: Scope
  scope_id: string | null
}

/** The name of what a rule is about; undefined: it is gone. */
export async function scopeName(sql: Sql, { team_id, scope, scope_id }: Asked): Promise<string | undefined> {
  if (scope === 'team' || scope_id === null) return 'the team'
  const [found] = await sql<{ name: string }>`
    select s.name from ${recordOf[scope]} where s.id = ${scope_id} and s.team_id = ${team_id}`
  return found?.name
}
