// The seats of a process: how many runs it can take at once, and how many of each team.
import type { ClaimedRun } from './claim.ts'

/** The process that makes runs and can take some of them at once, which saves their way through the claim. */
export interface Seat {
  workerId: string
  places: number
  /** How many of the places each of these teams may take. It lists only teams whose share does not leave them all places. */
  rooms?: ReadonlyMap<string, number>
}

export interface Reserved extends Seat {
  settle: (claimed: ClaimedRun[]) => void
}

/** The seat that is left when these runs have taken their places. */
export function seatWithout(seat: Seat, claimed: { team_id: string }[]): Seat {
  const rooms = new Map(seat.rooms)
  for (const { team_id } of claimed) if (rooms.has(team_id)) rooms.set(team_id, rooms.get(team_id)! - 1)
  return { ...seat, places: seat.places - claimed.length, rooms }
}

/** How often each team occurs. */
export function countByTeam(teamIds: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>()
  for (const id of teamIds) counts.set(id, (counts.get(id) ?? 0) + 1)
  return counts
}
