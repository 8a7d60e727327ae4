// Sends new events to the open streams of this process: one look for all streams of runs, and one for all streams of teams.
import { setImmediate as othersFirst } from 'node:timers/promises'
import type { Database } from '../base/db.ts'
import { onEventsWritten } from './announceEvents.ts'
import type { Context } from './context.ts'
import type { EventName } from './event.ts'
import { createEventPoller, pollMs, type EventPoller } from './eventPoller.ts'
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

/** How soon a look comes again that open transactions held back; then twice as long each time. */
const heldFirstMs = 3
/** A transaction of ours seldom takes longer, also under load. */
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
  time: TeamTime
  runReaders: Set<RunReader>
  teamReaders: Set<TeamReader>
  /** Teams whose stream is being opened. */
  opening: Map<string, Promise<Opened>>
  /** Neither kind waits for the other, or suffers from its trouble. */
  runs: EventPoller
  teams: EventPoller
  /** Open transactions held back the newest events of teams, and so long was waited for them last; 0: nothing was held back. */
  heldMs: number
  /** The oldest transaction, of whatever database, that was open at the last look, and since when it was seen. */
  oldest: { xid: number; since: number } | undefined
}

export const eventFeedOf = runningPart('event feed', (context: Context): EventFeed => {
  const feed: Feed = {
    db: context.db,
    time: teamTimeOf(context),
    runReaders: new Set(),
    teamReaders: new Set(),
    opening: new Map(),
    runs: createEventPoller({
      log: context.log,
      hasReaders: () => feed.runReaders.size > 0,
      look: () => lookForRuns(feed),
    }),
    teams: createEventPoller({
      log: context.log,
      hasReaders: () => feed.teamReaders.size > 0,
      look: () => lookForTeams(feed),
      againMs: () => feed.heldMs || undefined,
    }),
    heldMs: 0,
    oldest: undefined,
  }
  onEventsWritten(context, () => {
    feed.teams.soon()
    feed.runs.soon()
  })
  return {
    followRun: (reader) => follow(feed.runs, feed.runReaders, reader, deliverOfRun),
    followTeam: (reader) => follow(feed.teams, feed.teamReaders, reader, deliverOfTeam),
    openTeam: (teamId, last) => openTeam(feed, teamId, last),
  }
})

async function lookForRuns(feed: Feed): Promise<boolean> {
  const { sql } = feed.db
  const groups: RunGroup[] = groupsOf(feed.runReaders, ({ runId, after }) => `${runId} ${after}`)
  // few are simply read
  const due = groups.length <= groupsAtOnce ? groups : await read.runsThatMoved(sql, groups)
  return deliverAll(
    feed,
    due,
    (some) => read.runEvents(sql, some),
    deliverOfRun,
    (group, { events, newest, ended }) => {
      // they were erased, because events are not stored for ever
      if (events.length === 0 && newest > group.after) for (const reader of group.readers) reader.after = newest
      if (ended !== undefined) endBehindLast(group, newest, ended)
    },
  )
}

async function lookForTeams(feed: Feed): Promise<boolean> {
  const { sql } = feed.db
  const groups: TeamGroup[] = groupsOf(feed.teamReaders, ({ teamId, after }) => `${teamId} ${positionText(after)}`)
  if (groups.length === 0) {
    feed.heldMs = 0
    return false
  }
  // few are simply read
  if (groups.length <= groupsAtOnce && !isHeldLong(feed)) {
    const readNext = async (some: TeamGroup[]) => {
      const { batches, isHeld, oldest } = await read.surelyTeamEvents(sql, some)
      noteOpen(feed, isHeld, oldest)
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
function noteOpen(feed: Feed, isHeld: boolean, anywhere: number | undefined): void {
  // nobody tells that a transaction has ended that wrote no events
  feed.heldMs = isHeld ? Math.min(Math.max(heldFirstMs, feed.heldMs * 2), pollMs) : 0
  if (anywhere === undefined) feed.oldest = undefined
  else if (anywhere !== feed.oldest?.xid) feed.oldest = { xid: anywhere, since: performance.now() }
}

/** From then on it is asked whose transaction is open, since only ours hold events back. */
const isHeldLong = ({ oldest }: Feed): boolean => oldest !== undefined && performance.now() - oldest.since > heldLongMs

/** True: there are more events for a reader that could take them. `afterwards` is called for each group when its readers have what was read. */
async function deliverAll<
  Place,
  B extends read.Batch<Place>,
  Reader extends AnyReader<Place>,
  G extends { teamId: string; readers: Reader[] },
>(
  feed: Feed,
  groups: G[],
  readNext: (some: G[]) => Promise<B[]>,
  deliverTo: (reader: Reader, events: read.ReadEvent<Place>[]) => void,
  afterwards: (group: G, batch: B) => void = () => undefined,
): Promise<boolean> {
  let isMore = false
  // a team that used more than its share of the process gets its events with a later look
  const due = groups.filter(({ teamId }) => !feed.time.isAhead(teamId))
  for (let from = 0; from < due.length; from += groupsAtOnce) {
    const some = due.slice(from, from + groupsAtOnce)
    for (const [group, batch] of zip(some, await readNext(some))) {
      const { events } = batch
      if (events.length > 0) await inPieces(feed, group, (reader) => deliverTo(reader, events))
      afterwards(group, batch)
      isMore ||= batch.isMore && group.readers.some(({ stream }) => stream.isOpen && !stream.isFull)
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
  poller: EventPoller,
  readers: Set<Reader>,
  reader: Reader,
  deliverTo: (reader: Reader, events: read.ReadEvent<Place>[]) => void,
): () => void {
  readers.add(reader)
  reader.stream.onDrain = () => {
    deliverTo(reader, reader.held ?? [])
    if (!reader.stream.isFull) poller.now()
  }
  poller.soon()
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

/** The run may have been started again since the look: then its reader has more by now, and stays. */
function endBehindLast({ readers }: RunGroup, newest: number, { status }: read.Ended): void {
  for (const { runId, after, stream } of readers) {
    if (after !== newest || !stream.isOpen || stream.isFull) continue
    stream.send({ event: 'end', data: JSON.stringify({ run_id: runId, status }) })
    stream.end()
  }
}
