// A pool that teams share inside one process: slots, a cap for each team, and a line in which teams take turns.
//
// - A team holds at most `perTeam` slots, so one team never has the whole pool and another finds a slot at once.
// - A call that finds no slot waits in the line of its own team. A freed slot goes to the waiting team that holds the fewest slots; among
//   equals, to the one that was served longest ago. How many calls of a team wait says nothing about whose turn it is.
// - A line is bounded. A call past `waitingMax`, or one that waited for `waitMaxMs`, is refused with PoolFull. A signal ends a wait at once.
//
// A pool that spans processes is rows in the database; there the claiming statement takes turns (ARCHITECTURE.md lists all pools).

/** Gives the slot back; a second call does nothing. */
export type Release = () => void

/** The team has too many calls waiting here, or waited too long. Other teams are not affected; the same call may succeed in a moment. */
export class PoolFull extends Error {
  readonly pool: string
  constructor(pool: string, reason: string) {
    super(`${reason} Wait for some of this team's own work to end, then try again.`)
    this.name = 'PoolFull'
    this.pool = pool
  }
}

interface FairPoolOptions {
  /** What the slots are for, as it appears in a message: "commands in sandboxes". */
  name: string
  size: number
  perTeam: number
  /** How many calls of one team may wait. Without it, something else must bound the callers. */
  waitingMax?: number
  waitMaxMs?: number
}

export interface FairPool {
  readonly name: string
  readonly size: number
  readonly perTeam: number
  /** Waits for a slot. */
  take(team: string, signal?: AbortSignal): Promise<Release>
  /** Takes a slot if one is free for this team now. */
  tryTake(team: string): Release | undefined
  /** Holds a slot while the work lasts. */
  use<T>(team: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>
  /** How many slots are taken: in all, or by one team. */
  taken(team?: string): number
  /** How many calls wait: in all, or of one team. */
  waiting(team?: string): number
  /** The teams that hold their full share. */
  fullTeams(): string[]
}

interface Waiting {
  grant: (release: Release) => void
}

interface Line {
  held: number
  waiting: Set<Waiting>
  /** The turn in which the team was last served. */
  servedAt: number
}

interface Slots {
  options: FairPoolOptions
  /** The teams that hold or wait for something. */
  lines: Map<string, Line>
  taken: number
  /** How often a team was served. */
  turn: number
}

/** How many slots one team may hold: `percent` of the pool, at least one, and below 100 % never all of a pool of several. */
export function teamShare(size: number, percent: number): number {
  if (percent >= 100 || size <= 1) return size
  return Math.max(1, Math.min(size - 1, Math.floor((size * percent) / 100)))
}

export function createFairPool(options: FairPoolOptions): FairPool {
  const { name, size, perTeam } = options
  const slots: Slots = { options, lines: new Map(), taken: 0, turn: 0 }
  const { lines } = slots
  const take = async (team: string, signal?: AbortSignal): Promise<Release> => {
    signal?.throwIfAborted()
    return tryTake(slots, team) ?? (await wait(slots, team, signal))
  }
  return {
    name,
    size,
    perTeam,
    take,
    tryTake: (team) => tryTake(slots, team),
    async use(team, work, signal) {
      const release = await take(team, signal)
      try {
        return await work()
      } finally {
        release()
      }
    },
    taken: (team) => (team === undefined ? slots.taken : (lines.get(team)?.held ?? 0)),
    waiting: (team) =>
      team === undefined
        ? [...lines.values()].reduce((sum, line) => sum + line.waiting.size, 0)
        : (lines.get(team)?.waiting.size ?? 0),
    fullTeams: () => [...lines].filter(([, { held }]) => held >= perTeam).map(([team]) => team),
  }
}

function lineOf({ lines }: Slots, team: string): Line {
  let line = lines.get(team)
  if (!line) lines.set(team, (line = { held: 0, waiting: new Set(), servedAt: 0 }))
  return line
}

/** Forgets a team that holds nothing and waits for nothing, so that team ids do not pile up. */
function forgetIdle({ lines }: Slots, team: string, line: Line): void {
  if (line.held === 0 && line.waiting.size === 0) lines.delete(team)
}

function hold(slots: Slots, team: string, line: Line): Release {
  slots.taken += 1
  line.held += 1
  line.servedAt = ++slots.turn
  let isHeld = true
  return () => {
    if (!isHeld) return
    isHeld = false
    slots.taken -= 1
    line.held -= 1
    serve(slots)
    forgetIdle(slots, team, line)
  }
}

function nextTeam({ lines, options }: Slots): [string, Line] | undefined {
  let next: [string, Line] | undefined
  for (const entry of lines) {
    const [, line] = entry
    if (line.waiting.size === 0 || line.held >= options.perTeam) continue
    const best = next?.[1]
    if (!best || line.held < best.held || (line.held === best.held && line.servedAt < best.servedAt)) next = entry
  }
  return next
}

function serve(slots: Slots): void {
  while (slots.taken < slots.options.size) {
    const next = nextTeam(slots)
    const [first] = next?.[1].waiting ?? []
    if (!next || !first) return
    const [team, line] = next
    line.waiting.delete(first)
    first.grant(hold(slots, team, line))
  }
}

function tryTake(slots: Slots, team: string): Release | undefined {
  const { size, perTeam } = slots.options
  // a call waits only because the pool or its own team is full, so nobody else is waiting for a slot that is free here
  if (slots.taken >= size || (slots.lines.get(team)?.held ?? 0) >= perTeam) return undefined
  return hold(slots, team, lineOf(slots, team))
}

function wait(slots: Slots, team: string, signal: AbortSignal | undefined): Promise<Release> {
  const { name, waitingMax = Infinity, waitMaxMs } = slots.options
  const line = lineOf(slots, team)
  if (line.waiting.size >= waitingMax) {
    const says = `This team already has ${line.waiting.size} calls waiting for ${name}.`
    return Promise.reject(new PoolFull(name, says))
  }
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined
    const stopWaiting = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    }
    const giveUp = (reason: unknown) => {
      stopWaiting()
      line.waiting.delete(waiting)
      forgetIdle(slots, team, line)
      reject(reason)
    }
    const onAbort = () => giveUp(signal?.reason)
    const waiting: Waiting = {
      grant(release) {
        stopWaiting()
        resolve(release)
      },
    }
    line.waiting.add(waiting)
    signal?.addEventListener('abort', onAbort, { once: true })
    if (waitMaxMs !== undefined) {
      const says = `No slot for ${name} came free for this team within ${waitMaxMs / 1000} s.`
      timer = setTimeout(() => giveUp(new PoolFull(name, says)), waitMaxMs)
    }
  })
}

/** Orders the items in turns: the first of each team, then the second of each; each round in the order of arrival. */
export function inTurns<T>(items: T[], teamOf: (item: T) => string): T[] {
  const rounds: T[][] = []
  const seen = new Map<string, number>()
  for (const item of items) {
    const team = teamOf(item)
    const round = seen.get(team) ?? 0
    seen.set(team, round + 1)
    ;(rounds[round] ??= []).push(item)
  }
  return seen.size <= 1 ? items : rounds.flat()
}
