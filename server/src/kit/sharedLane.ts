// A lane that all teams share: what may wait for a row of its own team, or takes long, goes apart, so that no other team waits for it.
import { lockNotAvailable, sqlState } from '../base/db.ts'
import { createLane, type Lane, type LaneOptions } from './lane.ts'

interface SharedLaneOptions<Op, Result> extends Omit<LaneOptions<Op, Result>, 'flush' | 'isByTeam' | 'isOfAll'> {
  /** The same as a lane’s. Unless `isApart`, all teams wait for it, and it waits for no row of one team (`waitForNoTeam`). */
  flush: (ops: Op[], isApart: boolean) => Promise<Result[]>
  /** Whether the operation needs a row that its team may have locked for long, or takes long itself. */
  goesApart: (op: Op) => boolean
}

/** How many teams may have a flush apart at once: each may wait for a lock, and holds a connection as long. */
const teamsApartMax = 4

/** PostgreSQL undid all of them. They are not tried one by one: each might wait for that lock again. */
const isLocked = (error: unknown): boolean => sqlState(error) === lockNotAvailable

export function createSharedLane<Op, Result>(options: SharedLaneOptions<Op, Result>): Lane<Op, Result> {
  const { flush, goesApart, onMade, ...both } = options
  const counts: (() => number)[] = []
  onMade?.(() => counts.reduce((sum, count) => sum + count(), 0))
  const laneOf = (isApart: boolean) => ({
    ...both,
    flush: (ops: Op[]) => flush(ops, isApart),
    isByTeam: isApart,
    isOfAll: isLocked,
    onMade: (count: () => number) => void counts.push(count),
  })
  const shared = createLane(laneOf(false))
  const apart = createLane({ ...laneOf(true), flushesMax: teamsApartMax })
  return {
    async add(op) {
      if (goesApart(op)) return apart.add(op)
      try {
        return await shared.add(op)
      } catch (error) {
        // nobody knew that it needs such a row, or another one was locked
        if (!isLocked(error)) throw error
        return apart.add(op)
      }
    },
    hasWaiting: (fits) => shared.hasWaiting(fits) || apart.hasWaiting(fits),
    recheck() {
      shared.recheck()
      apart.recheck()
    },
  }
}
