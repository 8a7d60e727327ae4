// Opens conversations with each provider's fake, as the engine would with the real one.
import { after } from 'node:test'
import { createModels, type Models } from '../../src/drivers/model/models.ts'
import type { Conversation, Entry, SeenFile, Setup, Turn } from '../../src/drivers/model/model.ts'
import { readConfig } from '../../src/base/config.ts'
import { startFakeAnthropic } from './anthropic.ts'
import type { FakeProvider } from './fakeProvider.ts'
import { startFakeGoogle } from './google.ts'
import { startFakeOpenai } from './openai.ts'
import { startFakeOpenaiCompatible } from './openaiCompatible.ts'

/** Told to every provider; must stand in no error text. */
export const fakeKey = 'sk-canary-0123456789abcdef'

const fakes = {
  anthropic: {
    start: startFakeAnthropic,
    model: 'anthropic:claude-sonnet-4-5',
    key: 'ANTHROPIC_API_KEY',
    url: 'ANTHROPIC_BASE_URL',
  },
  openai: { start: startFakeOpenai, model: 'openai:gpt-5', key: 'OPENAI_API_KEY', url: 'OPENAI_BASE_URL' },
  google: {
    start: startFakeGoogle,
    model: 'google:gemini-2.5-flash',
    key: 'GOOGLE_GENERATIVE_AI_API_KEY',
    url: 'GOOGLE_BASE_URL',
  },
  'openai-compatible': {
    start: startFakeOpenaiCompatible,
    model: 'openai-compatible:local',
    key: 'OPENAI_COMPATIBLE_KEY',
    url: 'OPENAI_COMPATIBLE_URL',
  },
}

export type FakeName = keyof typeof fakes
export const fakeNames = Object.keys(fakes) as FakeName[]

export interface Talk {
  fake: FakeProvider
  models: Models
  /** The model's name, and a conversation with it. */
  model: string
  open: (setup?: Partial<Setup>) => Conversation
}

export async function startTalk(name: FakeName, options: { idleMs?: number } = {}): Promise<Talk> {
  const { start, model, key, url } = fakes[name]
  const fake = await start()
  const models = createModels(readConfig({ [key]: fakeKey, [url]: fake.url }), options)
  after(async () => {
    await models.close()
    await fake.close()
  })
  return {
    fake,
    models,
    model,
    open(setup = {}) {
      const found = models.find(setup.model ?? model)
      if ('problem' in found) throw new Error(found.problem.message)
      return found.model.open({ ...plainSetup(model), ...setup })
    },
  }
}

export const lookup = {
  name: 'lookup',
  description: 'Looks a customer up.',
  input_schema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
}

const plainSetup = (model: string): Setup => ({
  model,
  procedure: 'Look the customer up and say their name.',
  tools: [lookup],
  facts: {
    message: { customer: 'c-7' },
    case: null,
    run: {
      id: '0198c0de-0000-7000-8000-000000000001',
      number: 1,
      title: null,
      agent_id: '0198c0de-0000-7000-8000-000000000002',
      agent_name: 'Clerk',
      source: 'api',
      created_at: '2026-11-15T12:00:00Z',
    },
  },
  output_schema: null,
  output_tokens_max: null,
})

export const user = (text: string): Entry => ({ kind: 'user', text, restarts: false })

/** One turn, with nobody to stop it; the deltas of its text go to `deltas`. */
export const next = (
  conversation: Conversation,
  deltas: string[] = [],
  stored: Map<string, Buffer> = new Map(),
): Promise<Turn> =>
  conversation.next({
    signal: new AbortController().signal,
    onText: (delta) => deltas.push(delta),
    readFiles: async (sha256s) => new Map([...stored].filter(([sha256]) => sha256s.includes(sha256))),
  })

const runId = '0198c0de-0000-7000-8000-000000000001'

/** What the engine writes after a turn: the assistant's entry, its calls under the ledger's ids. */
export function logged(turn: Turn, from = 1): Extract<Entry, { kind: 'assistant' }> {
  const calls = turn.calls.map((call, index) => ({ ...call, id: `${runId}:${from + index}` }))
  // Through JSON, as through the database.
  return JSON.parse(JSON.stringify({ kind: 'assistant', text: turn.text, calls, opaque: turn.opaque })) as never
}

export const result = (
  seq: number,
  value: unknown,
  error: string | null = null,
  files: SeenFile[] = [],
): Extract<Entry, { kind: 'result' }> => ({
  kind: 'result',
  call_id: `${runId}:${seq}`,
  name: 'lookup',
  result: value,
  error,
  ...(files.length > 0 && { files }),
})

/** A reference to a file; its bytes are whatever the test stores under `sha256`. */
export const seenFile = (name: string, sha256: string, more: Partial<SeenFile> = {}): SeenFile => ({
  name,
  sha256,
  media_type: 'image/png',
  size_bytes: 1000,
  width: 640,
  height: 480,
  pages: null,
  ...more,
})
