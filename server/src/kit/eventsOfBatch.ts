// Makes the events of a row of event_batches: the same ids and the same bytes as event_rows and event_text make in the database.
//
// Streams and deliveries read rows as they are stored (decision 0061). To have them taken apart by PostgreSQL took its statement 765 µs for the
// 13 events of a run of three steps; to read their rows takes it 100.
import { letterOf, type EventName } from './event.ts'

/** What a row has of its events. */
export interface StoredEvents {
  id: string
  team_id: string
  run_id: string | null
  /** Null: the data of its event is stored whole. */
  agent_id: string | null
  case_id: string | null
  /** The sequence of its last event; null for events of no run. */
  last: number | null
  /** A letter for each event. */
  kinds: string
  /** A JSON array of the data of its events, as it is stored. */
  entries: string
}

export interface BatchRow extends StoredEvents {
  created_at: Date
}

/** An event without its envelope. */
interface EventPart {
  id: string
  /** Its place in the batch, from 0. */
  place: number
  /** Its sequence in its run; 0 for events of no run. */
  sequence: number
  event: EventName
  /** JSON. */
  data: string
}

export interface EventOfBatch extends Omit<EventPart, 'data'> {
  /** The envelope of events.md; there is no delivery here, so its id is the event's own. */
  text: string
}

const nameOf = new Map(Object.entries(letterOf).map(([name, letter]) => [letter as string, name as EventName]))

/** The events of a batch from this place on. */
export function eventsOfBatch(batch: BatchRow, from: number): EventOfBatch[] {
  const createdAt = batch.created_at.toISOString()
  return partsOfBatch(batch, (place) => place >= from).map(({ data, ...told }) => {
    const text = `{"id":"${told.id}","event":"${told.event}","created_at":"${createdAt}","data":${data}}`
    return { ...told, text }
  })
}

/** The events of a batch at these places, in their order. */
export function partsOfBatch(batch: StoredEvents, isWanted: (place: number) => boolean): EventPart[] {
  const { kinds, last } = batch
  const before = batch.agent_id === null ? undefined : idsOf(batch)
  const events: EventPart[] = []
  for (const [place, stored] of elementsOf(batch.entries).entries()) {
    if (!isWanted(place)) continue
    const event = nameOf.get(kinds[place] ?? '')
    if (event === undefined) throw new Error(`the batch ${batch.id} has no kind for its event ${place}`)
    const id = eventId(batch.id, place)
    const sequence = last === null ? 0 : last - kinds.length + 1 + place
    const data =
      before === undefined ? stored : `{"event_id":"${id}",${before},"sequence":${sequence},${stored.slice(1)}`
    events.push({ id, place, sequence, event, data })
  }
  return events
}

/** What is known of each event of a run, and so not stored with it. */
const idsOf = ({ team_id, run_id, agent_id, case_id }: StoredEvents): string =>
  `"team_id":"${team_id}","run_id":"${run_id}","agent_id":"${agent_id}"${case_id === null ? '' : `,"case_id":"${case_id}"`}`

const eventId = (batch: string, place: number): string =>
  place === 0 ? batch : batch.slice(0, 32) + place.toString(16).padStart(4, '0')

/** Their codes, which are compared with each character. */
const quote = '"'.charCodeAt(0)
const comma = ','.charCodeAt(0)
const backslash = '\\'.charCodeAt(0)
const openArray = '['.charCodeAt(0)
const closeArray = ']'.charCodeAt(0)
const openObject = '{'.charCodeAt(0)
const closeObject = '}'.charCodeAt(0)

/**
 * The elements of a JSON array, each as it is written there: to parse and write them again would change their bytes. The database has
 * checked that it is JSON.
 */
export function elementsOf(array: string): string[] {
  const elements: string[] = []
  let from = array.indexOf('[') + 1
  let depth = 0
  for (let at = from; at < array.length; at++) {
    const code = array.charCodeAt(at)
    if (code === quote) at = endOfString(array, at)
    else if (code === openObject || code === openArray) depth += 1
    else if (depth > 0) {
      if (code === closeObject || code === closeArray) depth -= 1
    } else if (code === comma || code === closeArray) {
      elements.push(array.slice(from, at).trim())
      from = at + 1
    }
  }
  return elements
}

/** Where the string ends that begins here. Most of the text of an event lies in strings, so it is passed over in one go. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); ; at = text.indexOf('"', at + 1)) {
    let first = at
    while (text.charCodeAt(first - 1) === backslash) first -= 1
    // an even number of backslashes before a quote are characters of the string, one more takes the quote in
    if ((at - first) % 2 === 0) return at
  }
}
