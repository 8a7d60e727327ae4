// Sends new events to the open streams of this process: one poll for all of them, after each commit of this process and four times a
// second.
import { setImmediate as othersFirst } from 'node:timers/promises'
import type { Database } from '../base/db.ts'
import type { Log } from '../base/log.ts'
import { onEventsWritten } from './announceEvents.ts'
import type { Context } from './context.ts'
import type { EventName } from './event.ts'
import { oldestOpen, beginStream, positionText, type Opened, type Position } from './eventPositions.ts'
import { zip } from '../base/zip.ts'
import * as read from './readEvents.ts'
import type { EventStream } from './stream.ts'
import { teamTimeOf, type TeamTime } from './teamTime.ts'
import { runningPart } from './runningPart.ts'

interface RunReader extends AnyReader<number> {
  runId: string
}

interface TeamReader extends AnyReader<Position> {
  /** The member who reads. */
  memberId: string
  /** Ids of events that are not part of its stream. */
  had: Set<string>
}

interface AnyReader<Place> {
  teamId: string
  /** The sequence in the run, or the position in the team, of the last event that the reader has. */
  after: Place
  stream: EventStream
  /** The kinds that it asked for and may read. */
  wants: (event: EventName) => boolean
  /** Events that were read for it and wait until it has taken the earlier ones. */
  held?: read.ReadEvent<Place>[]
}

interface EventFeed {
  /** Sends the run's events and, behind the last one of an ended run, `end`. Answers with how to stop. */
  followRun(reader: RunReader): () => void
  followTeam(reader: TeamReader): () => void
  openTeam(teamId: string, last: Position | undefined): Promise<Opened>
}

/** How often new events are polled for. */
const pollMs = 250
/**
 * A commit of this process is followed by a poll at once. A poll is followed by a pause that grows with the square of what
 * the poll took, up to this: one of 5 ms rests as long as it took, and one of 15 ms, which is under load, three times as long.
 */
const restMaxMs = 75
const squareMs = 5
/** How soon a poll comes again that open transactions held back; then twice as long each time. */
const heldFirstMs = 3
/** Few transactions of ours take so long, also under load. */
const heldLongMs = 50
/** How many groups one statement reads. Each gives at most one batch of events (readEvents.ts), so memory does not grow with what is due. */
const groupsAtOnce = 32
/** Readers that get their events in one piece of work: a write takes 20 to 50 µs. */
const readersAtOnce = 50
/** How many characters of events are held for one reader; the rest is read again later. */
const heldMax = 1024 * 1024

/** Readers that have the same last event: what comes next is read once for all of them. */
type Group<Reader, At> = At & { readers: Reader[] }
type RunGroup = Group<RunReader, read.InRun>
type TeamGroup = Group<TeamReader, read.InTeam>

interface Feed {
  db: Database
  log: Log
  time: TeamTime
  runReaders: Set<RunReader>
  teamReaders: Set<TeamReader>
  /** Teams whose stream is being opened. */
  opening: Map<string, Promise<Opened>>
  /** Takes back the poll that is to come; undefined: none is. */
  cancel: (() => void) | undefined
  isPolling: boolean
  /** Somebody asked for a poll since the last one began. */
  isSoon: boolean
  /** The next poll begins no earlier, unless there is more to read. */
  restsUntil: number
  /** Open transactions held back the newest events of teams, and so long was waited for them last; 0: nothing was held back. */
  heldMs: number
  /** The oldest transaction, of whatever database, that was open at the last look, and since when it was seen. */
  oldest: { xid: number; since: number } | undefined
}

export const eventFeedOf = runningPart('event feed', (context: Context): EventFeed => {
  const feed: Feed = {
    db: context.db,
    log: context.log,
    time: teamTimeOf(context),
    runReaders: new Set(),
    teamReaders: new Set(),
    opening: new Map(),
    cancel: undefined,
    isPolling: false,
    isSoon: false,
    restsUntil: 0,
    heldMs: 0,
    oldest: undefined,
  }
  onEventsWritten(context, () => pollSoon(feed))
  return {
    followRun: (reader) => follow(feed, feed.runReaders, reader, deliverOfRun),
    followTeam: (reader) => follow(feed, feed.teamReaders, reader, deliverOfTeam),
    openTeam: (teamId, last) => openTeam(feed, teamId, last),
  }
})

const hasReaders = ({ runReaders, teamReaders }: Feed): boolean => runReaders.size + teamReaders.size > 0

async function poll(feed: Feed): Promise<void> {
  feed.cancel = undefined
  feed.isPolling = true
  feed.isSoon = false
  const from = performance.now()
  // each goes as far as one batch: neither kind waits for the other, or suffers from its trouble
  const polls = [pollRuns, pollTeams].map((pollOne) =>
    pollOne(feed).catch((error: unknown) => {
      feed.log.debug({ err: error }, 'new events could not be read for the open streams; will retry')
      return false
    }),
  )
  const isMore = (await Promise.all(polls)).includes(true)
  feed.isPolling = false
  const now = performance.now()
  feed.restsUntil = now + Math.min((now - from) ** 2 / squareMs, restMaxMs)
  if (hasReaders(feed)) pollIn(feed, isMore ? 0 : feed.isSoon ? soonestMs(feed) : feed.heldMs || pollMs)
}

const soonestMs = ({ restsUntil }: Feed): number => Math.max(0, restsUntil - performance.now())

function pollIn(feed: Feed, ms: number): void {
  feed.cancel?.()
  const begin = () => void poll(feed)
  // a timer of 0 ms takes more than one
  if (ms <= 0) {
    const next = setImmediate(begin)
    feed.cancel = () => clearImmediate(next)
  } else {
    const timer = setTimeout(begin, ms)
    feed.cancel = () => clearTimeout(timer)
  }
}

function pollSoon(feed: Feed): void {
  if (feed.isSoon || !hasReaders(feed)) return
  feed.isSoon = true
  if (!feed.isPolling) pollIn(feed, soonestMs(feed))
}

/** For a reader that can take more again: it may be behind. */
function pollNow(feed: Feed): void {
  if (feed.isPolling) feed.isSoon = true
  else if (hasReaders(feed)) pollIn(feed, 0)
}

async function pollRuns(feed: Feed): Promise<boolean> {
  const groups: RunGroup[] = groupsOf(feed.runReaders, ({ runId, after }) => `${runId} ${after}`)
  if (groups.length === 0) return false
  const moved = await read.runsThatMoved(feed.db.sql, groups)
  const newestOf = new Map(moved.map(({ group, newest }) => [group, newest]))
  const due = moved.filter(({ group, newest }) => newest > group.after).map(({ group }) => group)
  const readNext = (some: RunGroup[]) => read.runEvents(feed.db.sql, some)
  const isMore = await deliverAll(feed, due, readNext, deliverOfRun, (group) => {
    // they were erased, because events are not stored for ever
    for (const reader of group.readers) reader.after = newestOf.get(group) ?? reader.after
  })
  for (const one of moved) if (one.hasEnded) endBehindLast(one)
  return isMore
}

async function pollTeams(feed: Feed): Promise<boolean> {
  const { sql } = feed.db
  const groups: TeamGroup[] = groupsOf(feed.teamReaders, ({ teamId, after }) => `${teamId} ${positionText(after)}`)
  if (groups.length === 0) return false
  // few are simply read
  if (groups.length <= groupsAtOnce && !isHeldLong(feed)) {
    const readNext = async (some: TeamGroup[]) => {
      const { batches, xid, isAnyOpen } = await read.surelyTeamEvents(sql, some)
      noteOpen(feed, isAnyOpen, isAnyOpen ? xid : undefined)
      return batches
    }
    return deliverAll(feed, groups, readNext, deliverOfTeam)
  }
  const { xid: until, isAnyOpen, anywhere } = await oldestOpen(sql)
  noteOpen(feed, isAnyOpen, anywhere)
  const due = groups.length <= groupsAtOnce ? groups : await read.teamsThatMoved(sql, groups, until)
  return deliverAll(feed, due, (some) => read.teamEvents(sql, some, until), deliverOfTeam)
}

/** `anywhere`: the oldest open transaction of any database. */
function noteOpen(feed: Feed, isAnyOpen: boolean, anywhere: number | undefined): void {
  // nobody tells that a transaction has ended that wrote no events
  feed.heldMs = isAnyOpen ? Math.min(Math.max(heldFirstMs, feed.heldMs * 2), pollMs) : 0
  if (anywhere === undefined) feed.oldest = undefined
  else if (anywhere !== feed.oldest?.xid) feed.oldest = { xid: anywhere, since: performance.now() }
}

/** From then on it is asked whose transaction is open, since only ours hold events back. */
const isHeldLong = ({ oldest }: Feed): boolean => oldest !== undefined && performance.now() - oldest.since > heldLongMs

/** True: there are more events for a reader that could take them. */
async function deliverAll<Place, Reader extends AnyReader<Place>, G extends { teamId: string; readers: Reader[] }>(
  feed: Feed,
  groups: G[],
  readNext: (some: G[]) => Promise<read.Batch<Place>[]>,
  deliverTo: (reader: Reader, events: read.ReadEvent<Place>[]) => void,
  onNothing: (group: G) => void = () => undefined,
): Promise<boolean> {
  let isMore = false
  // a team that used more than its share of the process gets its events with a later poll
  const due = groups.filter(({ teamId }) => !feed.time.isAhead(teamId))
  for (let from = 0; from < due.length; from += groupsAtOnce) {
    const some = due.slice(from, from + groupsAtOnce)
    for (const [group, { events, isMore: hasMore }] of zip(some, await readNext(some))) {
      if (events.length === 0) onNothing(group)
      else await inPieces(feed, group, (reader) => deliverTo(reader, events))
      isMore ||= hasMore && group.readers.some(({ stream }) => stream.isOpen && !stream.isFull)
    }
  }
  return isMore
}

/** A team may have thousands of readers: requests of others come in between. */
async function inPieces<Reader>(
  { time }: Feed,
  { teamId, readers }: { teamId: string; readers: Reader[] },
  deliverTo: (reader: Reader) => void,
): Promise<void> {
  for (let from = 0; from < readers.length; from += readersAtOnce) {
    if (from > 0) await othersFirst()
    const some = readers.slice(from, from + readersAtOnce)
    time.piece(teamId, () => some.forEach(deliverTo))
  }
}

function follow<Place, Reader extends AnyReader<Place>>(
  feed: Feed,
  readers: Set<Reader>,
  reader: Reader,
  deliverTo: (reader: Reader, events: read.ReadEvent<Place>[]) => void,
): () => void {
  readers.add(reader)
  reader.stream.onDrain = () => {
    deliverTo(reader, reader.held ?? [])
    if (!reader.stream.isFull) pollNow(feed)
  }
  if (feed.cancel === undefined && !feed.isPolling) pollIn(feed, 0)
  else pollSoon(feed)
  return () => readers.delete(reader)
}

function openTeam({ db, opening }: Feed, teamId: string, last: Position | undefined): Promise<Opened> {
  if (last !== undefined) return beginStream(db.sql, teamId, last)
  // the poll under way began earlier, so whoever shares it misses nothing that comes from now on
  let opened = opening.get(teamId)
  if (!opened) {
    opened = beginStream(db.sql, teamId, undefined).finally(() => opening.delete(teamId))
    opening.set(teamId, opened)
  }
  return opened
}

/** A reader that is behind gets nothing more until it has taken what it has. */
function groupsOf<Reader extends RunReader | TeamReader>(
  readers: Set<Reader>,
  keyOf: (reader: Reader) => string,
): Group<Reader, Reader>[] {
  const groups = new Map<string, Group<Reader, Reader>>()
  for (const reader of readers) {
    const { stream } = reader
    if (!stream.isOpen || stream.isFull) continue
    const key = keyOf(reader)
    const group = groups.get(key)
    if (group) group.readers.push(reader)
    else groups.set(key, { ...reader, readers: [reader] })
  }
  return [...groups.values()]
}

function deliverOfRun(reader: RunReader, events: read.ReadEvent<number>[]): void {
  deliver(reader, events, String, () => true)
}

function deliverOfTeam(reader: TeamReader, events: read.ReadEvent<Position>[]): void {
  const { memberId, had } = reader
  deliver(reader, events, positionText, ({ id, onlyFor }) => (onlyFor ?? memberId) === memberId && !had.delete(id))
}

function deliver<Place>(
  reader: AnyReader<Place>,
  events: read.ReadEvent<Place>[],
  idOf: (place: Place) => string,
  isFor: (event: read.ReadEvent<Place>) => boolean,
): void {
  const { stream } = reader
  reader.held = []
  stream.together(() => {
    for (const [index, event] of events.entries()) {
      if (!stream.isOpen) return
      if (stream.isFull) {
        reader.held = atMost(heldMax, events.slice(index))
        return
      }
      reader.after = event.place
      const id = idOf(event.place)
      if (isFor(event) && reader.wants(event.event)) stream.send({ id, event: event.event, data: event.text })
      else stream.passed(id)
    }
  })
}

/** The first events that fit into this many characters together, and one at least. */
function atMost<Place>(length: number, events: read.ReadEvent<Place>[]): read.ReadEvent<Place>[] {
  let left = length
  const count = events.findIndex(({ text }, index) => (left -= text.length) < 0 && index > 0)
  return count < 0 ? events : events.slice(0, count)
}

/** The run may have been started again since the poll: then its reader has more by now, and stays. */
function endBehindLast({ group, newest, status }: read.Moved<RunGroup>): void {
  for (const { runId, after, stream } of group.readers) {
    if (after !== newest || !stream.isOpen || stream.isFull) continue
    stream.send({ event: 'end', data: JSON.stringify({ run_id: runId, status }) })
    stream.end()
  }
}
