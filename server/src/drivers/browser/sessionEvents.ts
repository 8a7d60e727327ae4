// What happened in a session since its last action, told with the next one.
import type { Download as PlaywrightDownload } from 'playwright-core'

export interface SessionEvents {
  /** Sentences by the host that was wanted: refused, or permitted and not reached. */
  refused: Map<string, string>
  unreachable: Map<string, string>
  notes: string[]
  downloads: PlaywrightDownload[]
}

/** Pages may do a thing without end; only so much of it is worth telling. */
const toldMax = 20

export const noSessionEvents = (): SessionEvents => ({
  refused: new Map(),
  unreachable: new Map(),
  notes: [],
  downloads: [],
})

export function note(heard: SessionEvents, sentence: string): void {
  if (heard.notes.length < toldMax && !heard.notes.includes(sentence)) heard.notes.push(sentence)
}

export function noteHost(sentences: Map<string, string>, host: string, sentence: string): void {
  if (sentences.size < toldMax || sentences.has(host)) sentences.set(host, sentence)
}

/** Takes what is there and leaves nothing. */
export function takeSessionEvents(heard: SessionEvents): SessionEvents {
  const taken = { ...heard }
  Object.assign(heard, noSessionEvents())
  return taken
}
