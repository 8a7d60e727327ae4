// What happened in a session since its last action; the result of the next action reports it.
import type { Download as PlaywrightDownload } from 'playwright-core'

export interface SessionEvents {
  /** Sentences about hosts that pages wanted, by host: those that were refused, and those that were permitted and not reached. */
  refused: Map<string, string>
  unreachable: Map<string, string>
  notes: string[]
  downloads: PlaywrightDownload[]
}

/** How many notes of each kind are reported: pages may repeat a thing without end. */
const reportedMax = 20

export const noSessionEvents = (): SessionEvents => ({
  refused: new Map(),
  unreachable: new Map(),
  notes: [],
  downloads: [],
})

export function note(heard: SessionEvents, sentence: string): void {
  if (heard.notes.length < reportedMax && !heard.notes.includes(sentence)) heard.notes.push(sentence)
}

export function noteHost(sentences: Map<string, string>, host: string, sentence: string): void {
  if (sentences.size < reportedMax || sentences.has(host)) sentences.set(host, sentence)
}

/** Returns the events so far, and empties the list. */
export function takeSessionEvents(heard: SessionEvents): SessionEvents {
  const taken = { ...heard }
  Object.assign(heard, noSessionEvents())
  return taken
}
