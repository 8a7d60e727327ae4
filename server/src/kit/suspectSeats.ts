// Who gets a seat in a process for suspects: each team and each kind of work has a share, and the one that was served longest ago comes first.
export interface Seats {
  /** Undefined: no seat is free for this team and kind, or it is the turn of another that was refused a moment ago. */
  take(wanted: { kind: string; teamId: string | undefined }): (() => void) | undefined
  taken(): number
}

interface SeatOptions {
  size: number
  perTeam: number
  perKind: number
}

/** How long a refused asker counts as waiting. Whoever still wants a seat asks again about twice a second. */
const askingMs = 2000
const rememberedMax = 1000

interface Asker {
  team: string
  kind: string
  /** When it was last refused; undefined if it got a seat since. */
  askedAt: number | undefined
  /** The turn in which it last got a seat. */
  servedAt: number
  held: number
}

export function createSeats({ size, perTeam, perKind }: SeatOptions): Seats {
  const askers = new Map<string, Asker>()
  let taken = 0
  let turn = 0

  const heldBy = (isOne: (asker: Asker) => boolean) =>
    [...askers.values()].reduce((sum, asker) => sum + (isOne(asker) ? asker.held : 0), 0)

  const hasShareLeft = ({ team, kind }: Asker) =>
    heldBy((one) => one.team === team) < perTeam && heldBy((one) => one.kind === kind) < perKind

  /** Compares only with those that could get a seat now. */
  function isTurnOf(asker: Asker): boolean {
    const since = performance.now() - askingMs
    const before = (one: Asker) =>
      one !== asker &&
      one.askedAt !== undefined &&
      one.askedAt > since &&
      one.servedAt < asker.servedAt &&
      hasShareLeft(one)
    const free = size - taken
    return hasShareLeft(asker) && [...askers.values()].filter(before).length < free
  }

  /** Askers that were served keep their turn in the order, until there are too many of them. */
  function forgetIdle(): void {
    if (askers.size <= rememberedMax) return
    const since = performance.now() - askingMs
    for (const [key, { held, askedAt }] of askers) {
      if (held === 0 && (askedAt ?? -Infinity) < since) askers.delete(key)
    }
  }

  return {
    taken: () => taken,
    take({ kind, teamId }) {
      const team = teamId ?? ''
      const key = `${kind} ${team}`
      const asker = askers.get(key) ?? { team, kind, askedAt: undefined, servedAt: 0, held: 0 }
      askers.set(key, asker)
      forgetIdle()
      if (!isTurnOf(asker)) {
        asker.askedAt = performance.now()
        return undefined
      }
      asker.askedAt = undefined
      asker.servedAt = ++turn
      asker.held += 1
      taken += 1
      let isHeld = true
      return () => {
        if (!isHeld) return
        isHeld = false
        asker.held -= 1
        taken -= 1
      }
    },
  }
}
