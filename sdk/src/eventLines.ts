// Server-sent events out of the bytes of a stream (HTML standard, §9.2.6).

export interface ServerSentEvent {
  event: string
  data: string
}

interface Reading {
  /** The last id that the stream gave, also between events. */
  lastEventId: string | undefined
}

/**
 * Feeds pieces of text, cut anywhere, and gives whole events. An event that was cut off by the end of the stream is not given, and its id
 * does not count: a reader that resumes gets it again.
 */
export class EventLines implements Reading {
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
    const found = this.#data.length > 0 ? [{ event: this.#event || 'message', data: this.#data.join('\n') }] : []
    this.lastEventId = this.#id ?? this.lastEventId
    this.#id = undefined
    this.#data = []
    this.#event = ''
    return found
  }
}
