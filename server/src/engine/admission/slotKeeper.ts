// What this process does when slots of teams become free: it counts them, and admits the runs that wait for them.
import type { Database } from '../../base/db.ts'
import type { Log } from '../../base/log.ts'
import { admitNext, type Admitted } from './admission.ts'
import { countFreedSlots, createKnownSlots, type KnownSlots, type TeamSlots } from './knownSlots.ts'
import type { FreedSlots } from '../ledger/apply.ts'
import type { ReservedSeats } from './seat.ts'

interface SlotKeeperOptions {
  db: Database
  log: Log
  /** Seats of this process for runs that are admitted. */
  reserve: (wanted: ReadonlyMap<string, number>) => ReservedSeats | undefined
  /** A start of this team waits for a slot, and its statement will count what is free. */
  hasWaitingStart: (teamId: string) => boolean
  /** Starts that wait for a slot may find one now. */
  onFreed: () => void
  /** Runs got a slot and no worker. */
  onReady: () => void
}

export interface SlotKeeper {
  options: SlotKeeperOptions
  slots: KnownSlots
  dueTeams: Set<string>
  /** When a team's waitlist last admitted nobody: all runs that wait there are capped, so a start behind them changes nothing. */
  fruitless: Map<string, number>
  admitting: Promise<void> | undefined
  counting: Promise<void> | undefined
}

/** How long new starts skip a waitlist that admitted nobody. A slot that becomes free asks it at once. */
const fruitlessMs = 250
/** How many runs one round gives to this process, with their slots. */
const seatsAtOnce = 64

export const newSlotKeeper = (options: SlotKeeperOptions): SlotKeeper => ({
  options,
  slots: createKnownSlots(),
  dueTeams: new Set(),
  fruitless: new Map(),
  admitting: undefined,
  counting: undefined,
})

/** Runs of this process ended or began to wait. The slots are given away after the writers have learned of it, when their seats are free too. */
export function noteFreed(keeper: SlotKeeper, freed: FreedSlots[]): void {
  keeper.slots.noteFreed(freed)
  setImmediate(() => {
    keeper.options.onFreed()
    serveFreed(keeper)
  })
}

/** Notes the rows of teams as a statement has just left them, and admits runs where a slot is free. */
export function noteTeams(keeper: SlotKeeper, teams: TeamSlots[]): void {
  keeper.slots.noteTeams(teams)
  const isWorthAsking = ({ team_id, free, in_line }: TeamSlots) =>
    free > 0 && in_line > 0 && performance.now() - (keeper.fruitless.get(team_id) ?? -Infinity) > fruitlessMs
  admit(
    keeper,
    teams.filter(isWorthAsking).map(({ team_id }) => team_id),
  )
}

/** Freed slots go to a waitlist if there is one. Otherwise a start that waits carries the count; otherwise they are only counted. */
export function serveFreed(keeper: SlotKeeper): void {
  const { slots, options } = keeper
  const teams = slots.uncounted()
  admit(
    keeper,
    teams.filter((id) => slots.hasWaitlist(id)),
  )
  const isAwaited = (id: string) => slots.hasWaitlist(id) || options.hasWaitingStart(id)
  if (!teams.every(isAwaited)) keeper.counting ??= count(keeper).finally(() => (keeper.counting = undefined))
}

async function count(keeper: SlotKeeper): Promise<void> {
  const { slots, options } = keeper
  for (;;) {
    const teams = slots.uncounted().filter((id) => !slots.hasWaitlist(id))
    if (teams.length === 0) return
    slots.noteCounting(teams)
    try {
      noteTeams(keeper, await countFreedSlots(options.db.sql, teams))
    } catch (error) {
      options.log.warn({ err: error }, 'slots that runs left were not counted; the sweep does it')
    }
  }
}

/**
 * After the commit that freed slots; a process that dies before this leaves it to the sweep. One round at a time: teams that come during
 * a round share the next one.
 */
function admit(keeper: SlotKeeper, teamIds: string[]): void {
  for (const id of teamIds) keeper.dueTeams.add(id)
  if (keeper.dueTeams.size === 0) return
  keeper.admitting ??= admitAll(keeper).finally(() => (keeper.admitting = undefined))
}

async function admitAll(keeper: SlotKeeper): Promise<void> {
  const { dueTeams, options } = keeper
  while (dueTeams.size > 0) {
    const teams = [...dueTeams]
    dueTeams.clear()
    // each is a commit: what it claimed is driven at once, also when the slots of the next team are locked
    for (const id of teams) await admitTeam(keeper, id)
    options.onFreed()
  }
}

async function admitTeam({ slots, fruitless, options }: SlotKeeper, teamId: string): Promise<void> {
  const seats = options.reserve(new Map([[teamId, seatsAtOnce]]))
  slots.noteCounting([teamId])
  let next: Admitted = { admitted: 0, claimed: [], teams: [] }
  try {
    next = await admitNext(options.db.sql, [teamId], seats)
  } catch (error) {
    options.log.warn(
      { err: error, team_id: teamId },
      'runs that wait for slots were not admitted; the sweep tries again',
    )
  } finally {
    seats?.fill(next.claimed)
  }
  slots.noteTeams(next.teams)
  for (const { team_id, admitted } of next.teams) {
    if (admitted > 0) fruitless.delete(team_id)
    else fruitless.set(team_id, performance.now())
  }
  if (next.admitted > next.claimed.length) options.onReady()
}
