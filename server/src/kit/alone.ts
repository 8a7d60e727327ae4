// Processes for work that others died over. The caller lives on when one of them dies, and learns which work it died over.
//
// Suspects share one process, so that many innocent ones are not held up by each other. If it dies, each of those that were in it gets a
// process for itself the next time. A process takes a second or more to start: nobody claims a suspect before there is one that is ready.
import { teamShare } from '../base/fairPool.ts'
import type { Log } from '../base/log.ts'
import type { Company } from './deaths.ts'
import { openLoneChild, type LoneChild, type LoneEnding, type Unit } from './loneChild.ts'
import { createSeats, type Seats } from './loneSeats.ts'

export interface SeatWanted {
  kind: string
  /** Undefined for the service's own work. */
  teamId: string | undefined
  /** True when it may not be beside other suspects. */
  mustBeAlone: boolean
}

export interface LoneSeat {
  /** Gives the seat back when the unit has ended. */
  drive(unit: Unit): Promise<LoneEnding>
  /** For a seat that is not used after all. */
  release(): void
}

export interface Alone {
  /** A seat in a process that is ready, if it is the turn of this team and kind. Otherwise a process is started, and the caller asks again. */
  reserve(wanted: SeatWanted): LoneSeat | undefined
  /** Called when a process has become ready. */
  onReady(heard: () => void): void
  stop(): Promise<void>
}

/** How many suspects share a process. */
export const lonePlaces = 32
/** The pause after a start that failed. */
const restMs = 5000
/** How long a process stays after its last unit, so that the next one need not wait for a start. */
const idleMs = 30_000

interface AloneOptions {
  log: Log
  /** The file that starts such a process, and the arguments for the company that it is for. */
  entry: string
  args: (company: Company) => string[]
  /** The percentage of the seats that one team, or one kind of work, may have. */
  sharePercent: number
  silentMs?: number
}

export function startAlone(options: AloneOptions): Alone {
  const ears = new Set<() => void>()
  const onReady = () => {
    for (const heard of ears) heard()
  }
  const share = teamShare(lonePlaces, options.sharePercent)
  const several = createRoom(
    'several',
    createSeats({ size: lonePlaces, perTeam: share, perKind: share }),
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

type Room = Pick<Alone, 'reserve' | 'stop'>

/** One process at a time, started when it is needed, with the seats in it. */
function createRoom(
  company: Company,
  seats: Seats,
  { log, entry, args, silentMs }: AloneOptions,
  onReady: () => void,
): Room {
  let child: LoneChild | undefined
  let idle: NodeJS.Timeout | undefined
  let stopping = false
  let restsUntil = 0
  const underWay = new Set<Promise<LoneEnding>>()

  function open(): void {
    if (child || stopping || performance.now() < restsUntil) return
    const mine = (child = openLoneChild({ entry, args: args(company), ...(silentMs !== undefined && { silentMs }) }))
    void watch(mine)
  }

  async function watch(mine: LoneChild): Promise<void> {
    const isReady = await mine.ready
    if (isReady) onReady()
    else if (!stopping) restsUntil = performance.now() + restMs
    const ending = await mine.exited
    forget(mine)
    if (!isReady && !stopping)
      log.error(ending, 'the process for work that others died over does not start; it is tried again')
  }

  const forget = (mine: LoneChild) => {
    if (child === mine) child = undefined
  }

  function closeLater(): void {
    clearTimeout(idle)
    if (!stopping) idle = setTimeout(() => void (seats.taken() === 0 ? close() : closeLater()), idleMs).unref()
  }

  async function close(): Promise<void> {
    clearTimeout(idle)
    const mine = child
    child = undefined
    await mine?.stop()
  }

  async function driveIn(mine: LoneChild, unit: Unit): Promise<LoneEnding> {
    const ending = await mine.drive(unit)
    if (ending.how === 'died') {
      const { kind, id } = unit
      const facts = { kind, id, at: ending.at, ...(await mine.exited) }
      if (ending.isSure) log.error(facts, 'a process that did nothing else died over this work')
      else log.error(facts, 'a process that did only suspects died; next time this one is done alone')
      // others may wait for the next process, and its start takes long
      open()
      closeLater()
    }
    return ending
  }

  return {
    reserve(wanted) {
      if (stopping) return undefined
      open()
      closeLater()
      const mine = child
      if (!mine?.isReady()) return undefined
      const release = seats.take(wanted)
      if (!release) return undefined
      return {
        release,
        async drive(unit) {
          const driving = driveIn(mine, unit)
          underWay.add(driving)
          try {
            return await driving
          } finally {
            underWay.delete(driving)
            release()
            closeLater()
          }
        },
      }
    },
    async stop() {
      stopping = true
      await close()
      await Promise.all(underWay)
    },
  }
}
