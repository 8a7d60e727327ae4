// Answers of providers as their public documentation shows them, read from recorded/*.http: status, headers, then the bytes.
import { readFileSync } from 'node:fs'
import type { FakeAnswer } from './fakeProvider.ts'
import type { FakeName } from './talk.ts'

/** The protocols, each with the driver that speaks it. OpenAI's chat completions are spoken by the driver for servers like it. */
export const recordedProtocols = {
  anthropic: 'anthropic',
  'openai-responses': 'openai',
  'openai-chat': 'openai-compatible',
  google: 'google',
  'openai-compatible': 'openai-compatible',
} as const satisfies Record<string, FakeName>

export type RecordedProtocol = keyof typeof recordedProtocols

export interface Recording {
  /** Two recordings of one kind must be understood in the same way. */
  kind: string
  name: string
  answer: NonNullable<FakeAnswer['recorded']>
}

interface Recorded {
  /** Pages of the documentation that they were made from. */
  sources: string[]
  recordings: Recording[]
  /** Parts of requests, as the documentation shows them; BYTES stands for the file in base64. */
  parts: Map<string, string>
}

export function readRecorded(protocol: RecordedProtocol): Recorded {
  const text = readFileSync(new URL(`recorded/${protocol}.http`, import.meta.url), 'utf8')
  const [head = '', ...sections] = text.split(/^### /m)
  const recorded: Recorded = { sources: head.match(/^https:\S+$/gm) ?? [], recordings: [], parts: new Map() }
  for (const section of sections) {
    const [name = '', ...lines] = section.split('\n')
    const blank = lines.indexOf('')
    const [status, ...headers] = lines.slice(0, blank)
    const body = `${lines
      .slice(blank + 1)
      .join('\n')
      .trimEnd()}\n\n`
    if (status === undefined) recorded.parts.set(name.replace(' part', ''), body.trim())
    else {
      const answer = {
        status: Number(status),
        headers: Object.fromEntries(headers.map((line) => line.split(/: (.*)/s).slice(0, 2))) as Record<string, string>,
        body,
      }
      recorded.recordings.push({ kind: name.split(' ')[0]!, name, answer })
    }
  }
  return recorded
}
