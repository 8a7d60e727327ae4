// Processes for suspects: work that processes died over. When one of them dies, this process survives and learns over which work it died.
//
// Suspects share one process, so that many innocent ones are not held up by each other. If it dies, each of those that were in it gets a
// process for itself the next time. A process takes a second or more to start: nobody claims a suspect before there is one that is ready.
import { teamShare } from '../base/fairPool.ts'
import type { Log } from '../base/log.ts'
import type { Company } from './deaths.ts'
import { openSuspectChild, type SuspectChild, type SuspectEnding, type Unit } from './suspectChild.ts'
import { createSeats, type Seats } from './suspectSeats.ts'

export interface SeatWanted {
  kind: string
  /** Undefined for the service's own work. */
  teamId: string | undefined
  /** True when it may not be beside other suspects. */
  mustBeAlone: boolean
}

export interface SuspectSeat {
  /** Gives the seat back when the unit has ended. */
  drive(unit: Unit): Promise<SuspectEnding>
  /** Gives back a seat that was not used. */
  release(): void
}

export interface SuspectProcesses {
  /** A seat in a process that is ready, if it is the turn of this team and kind. Otherwise a process is started, and the caller asks again. */
  reserve(wanted: SeatWanted): SuspectSeat | undefined
  /** Called when a process has become ready. */
  onReady(heard: () => void): void
  stop(): Promise<void>
}

/** How many suspects share a process. */
export const suspectsPerProcess = 32
/** How long no process is started after a start that failed. */
const restMs = 5000
/** How long a process stays after its last unit, so that the next one need not wait for a start. */
const idleMs = 30_000

interface SuspectProcessesOptions {
  log: Log
  /** The file that starts such a process, and its arguments: for one suspect, or for several. */
  entry: string
  args: (company: Company) => string[]
  /** The percentage of the seats that one team, or one kind of work, may have. */
  sharePercent: number
  silentMs?: number
}

export function startSuspectProcesses(options: SuspectProcessesOptions): SuspectProcesses {
  const ears = new Set<() => void>()
  const onReady = () => {
    for (const heard of ears) heard()
  }
  const share = teamShare(suspectsPerProcess, options.sharePercent)
  const several = createRoom(
    'several',
    createSeats({ size: suspectsPerProcess, perTeam: share, perKind: share }),
    options,
    onReady,
  )
  const one = createRoom('one', createSeats({ size: 1, perTeam: 1, perKind: 1 }), options, onReady)
  return {
    reserve: (wanted) => (wanted.mustBeAlone ? one : several).reserve(wanted),
    onReady: (heard) => void ears.add(heard),
    async stop() {
      await Promise.all([several.stop(), one.stop()])
    },
  }
}

type Room = Pick<SuspectProcesses, 'reserve' | 'stop'>

/** One process at a time, started when it is needed, with the seats in it. */
interface RoomState extends SuspectProcessesOptions {
  company: Company
  seats: Seats
  onReady: () => void
  child: SuspectChild | undefined
  idle: NodeJS.Timeout | undefined
  isStopping: boolean
  /** Nothing is started before this moment, after a start that failed. */
  restsUntil: number
  underWay: Set<Promise<SuspectEnding>>
}

function createRoom(company: Company, seats: Seats, options: SuspectProcessesOptions, onReady: () => void): Room {
  const room: RoomState = {
    ...options,
    company,
    seats,
    onReady,
    child: undefined,
    idle: undefined,
    isStopping: false,
    restsUntil: 0,
    underWay: new Set(),
  }
  return {
    reserve: (wanted) => reserve(room, wanted),
    async stop() {
      room.isStopping = true
      await close(room)
      await Promise.all(room.underWay)
    },
  }
}

function reserve(room: RoomState, wanted: SeatWanted): SuspectSeat | undefined {
  if (room.isStopping) return undefined
  open(room)
  closeLater(room)
  const { child, underWay } = room
  if (!child?.isReady()) return undefined
  const release = room.seats.take(wanted)
  if (!release) return undefined
  return {
    release,
    async drive(unit) {
      const driving = driveIn(room, child, unit)
      underWay.add(driving)
      try {
        return await driving
      } finally {
        underWay.delete(driving)
        release()
        closeLater(room)
      }
    },
  }
}

function open(room: RoomState): void {
  if (room.child || room.isStopping || performance.now() < room.restsUntil) return
  const { entry, args, company, silentMs } = room
  room.child = openSuspectChild({ entry, args: args(company), ...(silentMs !== undefined && { silentMs }) })
  void watch(room, room.child)
}

async function watch(room: RoomState, child: SuspectChild): Promise<void> {
  const isReady = await child.ready
  if (isReady) room.onReady()
  else if (!room.isStopping) room.restsUntil = performance.now() + restMs
  const ending = await child.exited
  if (room.child === child) room.child = undefined
  if (!isReady && !room.isStopping) room.log.error(ending, 'a process for suspects does not start; will retry')
}

function closeLater(room: RoomState): void {
  clearTimeout(room.idle)
  if (room.isStopping) return
  room.idle = setTimeout(() => void (room.seats.taken() === 0 ? close(room) : closeLater(room)), idleMs).unref()
}

async function close(room: RoomState): Promise<void> {
  clearTimeout(room.idle)
  const { child } = room
  room.child = undefined
  await child?.stop()
}

async function driveIn(room: RoomState, child: SuspectChild, unit: Unit): Promise<SuspectEnding> {
  const ending = await child.drive(unit)
  if (ending.how === 'died') {
    const { kind, id } = unit
    const facts = { kind, id, at: ending.at, ...(await child.exited) }
    if (ending.isSure) room.log.error(facts, 'a process that did nothing else died over this work')
    else room.log.error(facts, 'a process that did only suspects died; next time this one is done alone')
    // others may wait for the next process, and its start takes long
    open(room)
    closeLater(room)
  }
  return ending
}
