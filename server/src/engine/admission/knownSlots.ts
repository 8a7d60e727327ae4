// What this process knows of its teams' places: whom it owes a look at the line, and whether a place is about to be free.
import { part, type Part, type Sql } from '../../base/db.ts'
import type { Left } from '../ledger/apply.ts'

/** A team's row as a statement that changed it left it. */
export interface TeamPlaces {
  team_id: string
  free: number
  in_line: number
}

export interface Places {
  /** Runs of this process ended or began to wait: somebody must now look whether others stand in line. */
  left(places: Left[]): void
  /** A statement that counts the places these teams' runs left is about to be sent. */
  counting(teamIds: string[]): void
  /** Teams whose places were left since the last count. */
  uncounted(): string[]
  saw(teams: TeamPlaces[]): void
  /** How many starts of this team would find a place at once; undefined: not known. */
  open(teamId: string): number | undefined
  /** Others stand in line there, as far as is known. */
  hasLine(teamId: string): boolean
  /** Places come free there all the time: one more is a matter of milliseconds. */
  isMoving(teamId: string): boolean
}

/** So long after a run left its place a team counts as moving. */
const movingMs = 50

export function createPlaces(): Places {
  const uncounted = new Map<string, number>()
  const seen = new Map<string, TeamPlaces>()
  const leftAt = new Map<string, number>()
  return {
    left(all) {
      for (const { team_id, places } of all) {
        uncounted.set(team_id, (uncounted.get(team_id) ?? 0) + places)
        leftAt.set(team_id, performance.now())
      }
    },
    counting(teamIds) {
      for (const id of teamIds) uncounted.delete(id)
    },
    uncounted: () => [...uncounted.keys()],
    saw(teams) {
      for (const team of teams) seen.set(team.team_id, team)
    },
    open(teamId) {
      const team = seen.get(teamId)
      if (!team) return undefined
      return team.in_line > 0 ? 0 : Math.max(0, team.free) + (uncounted.get(teamId) ?? 0)
    },
    hasLine: (teamId) => (seen.get(teamId)?.in_line ?? 0) > 0,
    isMoving: (teamId) => performance.now() - (leftAt.get(teamId) ?? -Infinity) < movingMs,
  }
}

/**
 * `team`: the rows of these teams, locked in the one order, as they are now; `back`: what their runs left, taken out to be counted.
 * Every statement that gives places says this first. Rows are taken out only under the lock of their team.
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

/** Where nobody wants one. Does not wait for the disk: what a crash undoes is still to be counted. */
export function countPlacesLeft(sql: Sql, teamIds: string[]): Promise<TeamPlaces[]> {
  return sql<TeamPlaces>`
    with quick as materialized (select set_config('synchronous_commit', 'off', true)),
    ${lockedTeams(part`select id from unnest(${teamIds}::uuid[]) as t (id), quick`)}
    update admission a set held = a.held - back.places from back where a.team_id = back.team_id
    returning a.team_id, a.places - a.held as free, a.in_line`
}
