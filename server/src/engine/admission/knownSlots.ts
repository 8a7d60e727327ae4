// What this process knows of its teams' slots: which of them it must still count, and whether a slot is about to be free.
import { part, type Part, type Sql } from '../../base/db.ts'
import type { FreedSlots } from '../ledger/apply.ts'

/** A team's row after a statement that changed it. */
export interface TeamSlots {
  team_id: string
  free: number
  /** How many runs wait for a slot. */
  in_line: number
}

export interface KnownSlots {
  /** Runs of this process ended or began to wait: somebody must now check whether others wait for their slots. */
  noteFreed(freed: FreedSlots[]): void
  /** A statement that counts the slots which runs of these teams left is about to be sent. */
  noteCounting(teamIds: string[]): void
  noteTeams(teams: TeamSlots[]): void
  /** Teams whose slots became free since the last count. */
  uncounted(): string[]
  /** How many starts of this team would find a slot at once; undefined: not known. */
  free(teamId: string): number | undefined
  /** Runs of this team wait for slots, as far as is known. */
  hasWaitlist(teamId: string): boolean
  /** True while slots of this team become free often: the next one takes only milliseconds. */
  isMoving(teamId: string): boolean
}

/** How long after a run left its slot a team counts as moving. */
const movingMs = 50

export function createKnownSlots(): KnownSlots {
  const uncounted = new Map<string, number>()
  const seen = new Map<string, TeamSlots>()
  const freedAt = new Map<string, number>()
  return {
    noteFreed(freed) {
      for (const { team_id, places } of freed) {
        uncounted.set(team_id, (uncounted.get(team_id) ?? 0) + places)
        freedAt.set(team_id, performance.now())
      }
    },
    noteCounting(teamIds) {
      for (const id of teamIds) uncounted.delete(id)
    },
    noteTeams(teams) {
      for (const team of teams) seen.set(team.team_id, team)
    },
    uncounted: () => [...uncounted.keys()],
    free(teamId) {
      const team = seen.get(teamId)
      if (!team) return undefined
      return team.in_line > 0 ? 0 : Math.max(0, team.free) + (uncounted.get(teamId) ?? 0)
    },
    hasWaitlist: (teamId) => (seen.get(teamId)?.in_line ?? 0) > 0,
    isMoving: (teamId) => performance.now() - (freedAt.get(teamId) ?? -Infinity) < movingMs,
  }
}

/**
 * `team`: the rows of these teams, locked in the one order, as they are now; `back`: the slots that their runs left, taken out to be
 * counted. Every statement that gives slots begins with this. Rows are taken out only under the lock of their team.
 */
export const lockedTeams = (teamIds: Part): Part => part`
  team as materialized (
    select team_id, places, held from admission where team_id in (${teamIds}) order by team_id for update
  ),
  left_places as (
    delete from places_left l using team where l.team_id = team.team_id returning l.team_id, l.places
  ),
  back as materialized (
    select team_id, coalesce((select sum(t.places) from left_places t where t.team_id = team.team_id), 0)::int as places from team
  )`

/** Counts freed slots where nobody waits for one. It does not wait for the disk: what a crash undoes is still to be counted. */
export function countFreedSlots(sql: Sql, teamIds: string[]): Promise<TeamSlots[]> {
  return sql<TeamSlots>`
    with quick as materialized (select set_config('synchronous_commit', 'off', true)),
    ${lockedTeams(part`select id from unnest(${teamIds}::uuid[]) as t (id), quick`)}
    update admission a set held = a.held - back.places from back where a.team_id = back.team_id
    returning a.team_id, a.places - a.held as free, a.in_line`
}
