// The seats of a process: how many runs it can hold at once, how many of each team, and which seats are reserved for runs on their way.
import type { WorkerPools } from '../../base/settingKinds.ts'
import type { ClaimedRun } from './claim.ts'

/** Seats of a process that creates or admits runs. It takes that many of them at once, which saves a claim. */
export interface FreeSeats {
  workerId: string
  count: number
  /** How many of the seats each of these teams may take. It lists only teams whose share does not leave them all seats. */
  perTeam?: ReadonlyMap<string, number>
  /** Which runs may have them. */
  pools?: WorkerPools | undefined
}

export interface ReservedSeats extends FreeSeats {
  /** Gives the seats back, and takes these runs into the pool. */
  fill: (claimed: ClaimedRun[]) => void
}

/** The seats that are left when these runs have taken theirs. */
export function seatsWithout(seats: FreeSeats, claimed: { team_id: string }[]): FreeSeats {
  const perTeam = new Map(seats.perTeam)
  for (const { team_id } of claimed) {
    const left = perTeam.get(team_id)
    if (left !== undefined) perTeam.set(team_id, left - 1)
  }
  return { ...seats, count: seats.count - claimed.length, perTeam }
}

/** How often each team occurs. */
export function countByTeam(teamIds: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>()
  for (const id of teamIds) counts.set(id, (counts.get(id) ?? 0) + 1)
  return counts
}

/** The seats of one process, held and reserved. */
export interface SeatBook {
  seats: number
  /** How many seats one team may have: no team holds the whole process, so the next run of another team finds a seat at once. */
  perTeam: number
  /** The runs that are held. */
  held: ReadonlyMap<string, { run: { team_id: string } }>
  reserved: number
  reservedOf: Map<string, number>
}

export interface Reservation {
  count: number
  /** The teams that want more than their share leaves, with what is left for each. */
  perTeam: Map<string, number>
  /** How many seats each team may get of these. */
  byTeam: [team: string, most: number][]
}

export const newSeatBook = (seats: number, perTeam: number, held: SeatBook['held']): SeatBook => ({
  seats,
  perTeam,
  held,
  reserved: 0,
  reservedOf: new Map(),
})

export const takenSeats = ({ held, reserved }: SeatBook): number => held.size + reserved

/** How many seats each team has, with those reserved for it. */
export function seatsByTeam({ held, reservedOf }: SeatBook): Map<string, number> {
  const counts = countByTeam([...held.values()].map(({ run }) => run.team_id))
  for (const [team, count] of reservedOf) counts.set(team, (counts.get(team) ?? 0) + count)
  return counts
}

export const isAtShare = (book: SeatBook, team: string): boolean => (seatsByTeam(book).get(team) ?? 0) >= book.perTeam

/** The teams that want more than their share leaves. Nothing is counted while everything fits into one share. */
function sharesLeft(book: SeatBook, wanted: ReadonlyMap<string, number>): Map<string, number> {
  let total = takenSeats(book)
  for (const count of wanted.values()) total += count
  if (total <= book.perTeam) return new Map()
  const taken = seatsByTeam(book)
  const left = new Map<string, number>()
  for (const [team, count] of wanted) {
    const share = book.perTeam - (taken.get(team) ?? 0)
    if (share < count) left.set(team, Math.max(0, share))
  }
  return left
}

/** Reserves up to `most` seats for runs that are about to be claimed, by team. */
export function reserveSeats(book: SeatBook, wanted: ReadonlyMap<string, number>, most: number): Reservation {
  const perTeam = sharesLeft(book, wanted)
  let asked = 0
  for (const [team, count] of wanted) asked += perTeam.get(team) ?? count
  const count = Math.min(asked, most)
  const byTeam = [...wanted].map(([team, own]): [string, number] => [team, Math.min(perTeam.get(team) ?? own, count)])
  book.reserved += count
  for (const [team, own] of byTeam) book.reservedOf.set(team, (book.reservedOf.get(team) ?? 0) + own)
  return { count, perTeam, byTeam }
}

export function releaseSeats(book: SeatBook, { count, byTeam }: Reservation): void {
  book.reserved -= count
  for (const [team, own] of byTeam) {
    const left = (book.reservedOf.get(team) ?? 0) - own
    if (left > 0) book.reservedOf.set(team, left)
    else book.reservedOf.delete(team)
  }
}
