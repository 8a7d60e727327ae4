// Brings new events to the open streams of this process: one look for all of them, four times a second while there are any.
import { setImmediate } from 'node:timers/promises'
import type { Context } from './context.ts'
import type { EventName } from './event.ts'
import { givePositions, keepLines, openLine, type Opened } from './eventPositions.ts'
import * as read from './readEvents.ts'
import type { EventStream } from './stream.ts'
import { teamTimeOf } from './teamTime.ts'
import { runningPart } from './runningPart.ts'
import { registryOf } from './registry.ts'

interface RunReader extends AnyReader {
  runId: string
}

type TeamReader = AnyReader

interface AnyReader {
  teamId: string
  /** The sequence in the run, or the position in the team, of the last event that the reader has. */
  after: number
  stream: EventStream
  /** The kinds that it asked for and may read. */
  wants: (event: EventName) => boolean
  /** What was read for it already, and waits until it has taken what it has. */
  held?: read.ReadEvent[]
}

interface EventFeed {
  /** Sends the run's events and, behind the last one of an ended run, `end`. Answers with how to stop. */
  followRun(reader: RunReader): () => void
  followTeam(reader: TeamReader): () => void
  openTeam(teamId: string, lastEventId: number | undefined): Promise<Opened>
  /** This process wrote events: the next look comes sooner. */
  nudge(): void
}

const lookMs = 250
/** Between two looks, however often somebody nudges. */
const soonMs = 20
const keepLinesMs = 60_000
/** Groups read by one statement; each gives a batch of events at most (readEvents.ts), so memory does not grow with what is due. */
const groupsAtOnce = 32
/** Readers that get their events in one piece of work: a write takes 20 to 50 µs. */
const readersAtOnce = 50
/** For one reader; what is more is read again. */
const heldMax = 1024 * 1024

export const eventFeedOf = runningPart('event feed', createEventFeed)

/** Readers that are at the same place: what comes next is read once for all of them. */
interface Group<Reader> extends read.Place {
  readers: Reader[]
}

function createEventFeed(context: Context): EventFeed {
  const { db, log } = context
  const time = teamTimeOf(context)
  const runReaders = new Set<RunReader>()
  const teamReaders = new Set<TeamReader>()
  const opening = new Map<string, Promise<Opened>>()
  let timer: NodeJS.Timeout | undefined
  let isLooking = false
  let isSoon = false
  let linesKeptAt = performance.now()

  async function look(): Promise<void> {
    timer = undefined
    isLooking = true
    isSoon = false
    let isMore = false
    // each goes as far as one batch: neither kind waits for the other's backlog, or suffers from its trouble
    for (const lookAt of [lookAtRuns, lookAtTeams]) {
      try {
        isMore = (await lookAt()) || isMore
      } catch (error) {
        log.debug({ err: error }, 'new events could not be read for the open streams; tried again')
      }
    }
    isLooking = false
    if (runReaders.size + teamReaders.size > 0) next(isMore ? 0 : isSoon ? soonMs : lookMs)
  }

  function next(ms: number): void {
    clearTimeout(timer)
    timer = setTimeout(() => void look(), ms)
  }

  function written(): void {
    for (const { onEvents } of registryOf(context).features) onEvents?.(context)
    nudge()
  }

  function nudge(): void {
    if (isSoon || runReaders.size + teamReaders.size === 0) return
    isSoon = true
    if (!isLooking) next(soonMs)
  }

  async function lookAtRuns(): Promise<boolean> {
    const groups = groupsOf(runReaders)
    if (groups.length === 0) return false
    const moved = await read.runsThatMoved(db.sql, groups)
    const newestOf = new Map(moved.map(({ group, newest }) => [group, newest]))
    const due = moved.filter(({ group, newest }) => newest > group.after).map(({ group }) => group)
    const isMore = await deliverAll(due, read.runEvents, (group) => {
      // they were erased, for events are not kept for ever
      for (const reader of group.readers) reader.after = newestOf.get(group)!
    })
    for (const one of moved) if (one.hasEnded) endBehindLast(one)
    return isMore
  }

  async function lookAtTeams(): Promise<boolean> {
    if (teamReaders.size === 0) return false
    const teamIds = [...new Set([...teamReaders].map(({ teamId }) => teamId))]
    if (performance.now() - linesKeptAt > keepLinesMs) {
      await keepLines(db.sql, teamIds)
      linesKeptAt = performance.now()
    }
    const hasUngiven = await givePositions(db, teamIds)
    const groups = groupsOf(teamReaders)
    const due = groups.length === 0 ? [] : await read.teamsThatMoved(db.sql, groups)
    return (await deliverAll(due, read.teamEvents)) || hasUngiven
  }

  /** True: some reader that could take more has more to come. */
  async function deliverAll<Reader extends RunReader | TeamReader>(
    groups: Group<Reader>[],
    readNext: typeof read.runEvents,
    onNothing: (group: Group<Reader>) => void = () => undefined,
  ): Promise<boolean> {
    let isMore = false
    // a team that used more than its share of the process gets its events with a later look
    const due = groups.filter(({ teamId }) => !time.isAhead(teamId))
    for (let from = 0; from < due.length; from += groupsAtOnce) {
      const some = due.slice(from, from + groupsAtOnce)
      const batches = await readNext(db.sql, some)
      for (const [index, group] of some.entries()) {
        const { events, isMore: hasMore } = batches[index]!
        if (events.length === 0) onNothing(group)
        else await deliverTo(group, events)
        isMore ||= hasMore && group.readers.some(({ stream }) => stream.isOpen && !stream.isFull)
      }
    }
    return isMore
  }

  /** A team may have thousands of readers: requests of others come in between. */
  async function deliverTo(
    { teamId, readers }: Group<RunReader | TeamReader>,
    events: read.ReadEvent[],
  ): Promise<void> {
    for (let from = 0; from < readers.length; from += readersAtOnce) {
      if (from > 0) await setImmediate()
      const some = readers.slice(from, from + readersAtOnce)
      time.piece(teamId, () => some.forEach((reader) => deliver(reader, events)))
    }
  }

  function follow<Reader extends RunReader | TeamReader>(readers: Set<Reader>, reader: Reader): () => void {
    readers.add(reader)
    reader.stream.onDrain = () => {
      deliver(reader, reader.held ?? [])
      if (!reader.stream.isFull) nudge()
    }
    if (timer === undefined && !isLooking) next(0)
    else nudge()
    return () => readers.delete(reader)
  }

  return {
    nudge: written,
    followRun: (reader) => follow(runReaders, reader),
    followTeam: (reader) => follow(teamReaders, reader),
    openTeam(teamId, lastEventId) {
      if (lastEventId !== undefined) return openLine(db, teamId, lastEventId)
      // one that is under way began a little earlier: nothing that comes from now on is missed by sharing it
      let opened = opening.get(teamId)
      if (!opened) {
        opened = openLine(db, teamId, undefined).finally(() => opening.delete(teamId))
        opening.set(teamId, opened)
      }
      return opened
    },
  }
}

/** A reader that is behind is left alone until it has taken what it has. */
function groupsOf<Reader extends RunReader | TeamReader>(readers: Set<Reader>): Group<Reader>[] {
  const groups = new Map<string, Group<Reader>>()
  for (const reader of readers) {
    const { teamId, after, stream } = reader
    if (!stream.isOpen || stream.isFull) continue
    const runId = 'runId' in reader ? reader.runId : ''
    const key = `${teamId} ${runId} ${after}`
    const group = groups.get(key)
    if (group) group.readers.push(reader)
    else groups.set(key, { readers: [reader], teamId, runId, after })
  }
  return [...groups.values()]
}

function deliver(reader: RunReader | TeamReader, events: read.ReadEvent[]): void {
  const { stream } = reader
  reader.held = []
  stream.together(() => {
    for (const [index, { number, event, text }] of events.entries()) {
      if (!stream.isOpen) return
      if (stream.isFull) {
        reader.held = atMost(heldMax, events.slice(index))
        return
      }
      reader.after = number
      if (!reader.wants(event)) stream.passed(number)
      else stream.send({ id: number, event, data: text })
    }
  })
}

/** The first of them, so many characters together, and one at least. */
function atMost(length: number, events: read.ReadEvent[]): read.ReadEvent[] {
  let left = length
  const count = events.findIndex(({ text }, index) => (left -= text.length) < 0 && index > 0)
  return count < 0 ? events : events.slice(0, count)
}

/** The run may have been started again since the look: then its reader has more by now, and stays. */
function endBehindLast({ group, newest, status }: read.Moved<Group<RunReader>>): void {
  for (const { runId, after, stream } of group.readers) {
    if (after !== newest || !stream.isOpen || stream.isFull) continue
    stream.send({ event: 'end', data: JSON.stringify({ run_id: runId, status }) })
    stream.end()
  }
}
