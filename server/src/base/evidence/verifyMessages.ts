// Compares the messages of a run with its events. An event has a message whole up to 16 KiB, so of such a message only the event is sealed.
import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '../isRecord.ts'
import { readObject } from './boundedObject.ts'
import { rowsOf, type Contents, type RunInManifest } from './contents.ts'
import { isCount } from './manifest.ts'

interface UnheldMessages {
  /** How many messages no signed seal holds: no event under it has them. */
  unheld: number
  /** The row of the first of them. */
  first: number
}

/**
 * `sealedEvents`: how many rows of events the last signed seal holds. Rows and events stand in the order of the numbers of messages; an event that
 * tells a message again holds nothing.
 */
export async function verifyMessages(
  run: RunInManifest,
  contents: Contents,
  sealedEvents: number,
): Promise<UnheldMessages> {
  const { problems } = contents
  const [eventsPath, messagesPath] = [`${run.folder}events.jsonl`, `${run.folder}messages.jsonl`]
  const found: UnheldMessages = { unheld: 0, first: 0 }
  // a file that is wrong was reported with its first row
  if (problems.wrongFiles.has(eventsPath) || problems.wrongFiles.has(messagesPath)) return found
  const messages = new Messages(contents, messagesPath, found)
  let last = -1
  for await (const { told, row } of messagesTold(contents, eventsPath)) {
    if (told.seq <= last) continue
    last = told.seq
    const message = await messages.moveTo(told.seq)
    if (message) {
      const isWrong = told['truncated'] !== true && !isTold(told, { ...message.value, run_id: run.id })
      if (isWrong) problems.add(`${messagesPath} row ${message.row}`, `It is not what row ${row} of the events says.`)
      messages.pass(row <= sealedEvents)
    } else if (!run.erased.includes('messages'))
      problems.add(`${eventsPath} row ${row}`, `The message ${told.seq} that it tells is not among the messages.`)
  }
  await messages.end()
  return found
}

/** Whatever the event says of the message stands in its row too, or is the id of the run. */
const isTold = (told: Told, message: Record<string, unknown>): boolean =>
  Object.entries(told).every(([name, value]) => isDeepStrictEqual(value, message[name]))

type Told = Record<string, unknown> & { seq: number }

const isTellable = (value: unknown): value is Told => isRecord(value) && isCount(value['seq'])

/** The messages in events, with the row of each event. */
async function* messagesTold(contents: Contents, path: string): AsyncGenerator<{ told: Told; row: number }> {
  let row = 0
  for await (const { bytes } of rowsOf(contents, path)) {
    row += 1
    // most rows of a long log have none, and need not be parsed for that
    if (!bytes?.includes('"message"')) continue
    const events = readObject(bytes)?.['events']
    for (const event of Array.isArray(events) ? events : []) {
      const told = isRecord(event) ? event['message'] : undefined
      if (isTellable(told)) yield { told, row }
    }
  }
}

interface MessageRow {
  row: number
  value: Record<string, unknown>
}

/** The rows of messages in their order; those that are passed over are not held. */
class Messages {
  readonly #rows: ReturnType<typeof rowsOf>
  readonly #found: UnheldMessages
  #row = 0
  #next: MessageRow | undefined

  constructor(contents: Contents, path: string, found: UnheldMessages) {
    this.#rows = rowsOf(contents, path)
    this.#found = found
  }

  /** The message with this number, if the next ones have it. */
  async moveTo(seq: number): Promise<MessageRow | undefined> {
    for (;;) {
      this.#next ??= await this.#read()
      const at = this.#next?.value['seq']
      if (!this.#next || at === seq) return this.#next
      if (isCount(at) && at > seq) return undefined
      this.pass(false)
    }
  }

  /** The next one is done with. */
  pass(isHeld: boolean): void {
    if (this.#next && !isHeld) {
      if (this.#found.unheld === 0) this.#found.first = this.#next.row
      this.#found.unheld += 1
    }
    this.#next = undefined
  }

  async #read(): Promise<MessageRow | undefined> {
    const { value, done } = await this.#rows.next()
    if (done) return undefined
    this.#row += 1
    return { row: this.#row, value: (value.bytes && readObject(value.bytes)) ?? {} }
  }

  async end(): Promise<void> {
    await this.moveTo(Infinity)
  }
}
