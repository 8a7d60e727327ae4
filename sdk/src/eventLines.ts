// Server-sent events out of the bytes of a stream (HTML standard, §9.2.6).

export interface ServerSentEvent {
  /** The last id that the stream gave, with this event or before it. */
  id: string | undefined
  event: string
  data: string
}

/**
 * Feeds pieces of text, cut anywhere, and gives whole events. An event that was cut off by the end of the stream is not given, and its id
 * does not count: a reader that resumes gets it again.
 */
export class EventLines {
  /** The last id, also one that came without an event to show that the stream is alive. */
  lastEventId: string | undefined
  #rest = ''
  #data: string[] = []
  #event = ''
  #id: string | undefined

  take(text: string): ServerSentEvent[] {
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/)
    this.#rest = lines.pop() ?? ''
    return lines.flatMap((line) => this.#line(line))
  }

  #line(line: string): ServerSentEvent[] {
    if (line === '') return this.#dispatch()
    const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
    if (field === 'data') this.#data.push(value)
    if (field === 'event') this.#event = value
    if (field === 'id') this.#id = value
    return []
  }

  #dispatch(): ServerSentEvent[] {
    this.lastEventId = this.#id ?? this.lastEventId
    const id = this.lastEventId
    const found = this.#data.length > 0 ? [{ id, event: this.#event || 'message', data: this.#data.join('\n') }] : []
    this.#id = undefined
    this.#data = []
    this.#event = ''
    return found
  }
}
