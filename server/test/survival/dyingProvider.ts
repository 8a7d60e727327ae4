// Two providers of models that book every request they accept. The first dies once in the middle of each run, at a random byte of its answer.
import { writeFile } from 'node:fs/promises'
import { startFakeAnthropic } from '../fakes/anthropic.ts'
import type { FakeAnswer, FakeProvider, FakeRequest } from '../fakes/fakeProvider.ts'
import { startFakeOpenaiCompatible } from '../fakes/openaiCompatible.ts'

export interface Booked {
  /** The word `marker-…` of the run's message, and which of its turns was asked for. */
  marker: string
  turn: number
  model: string
  /** No two bookings have the same number of them. */
  input: number
  output: number
}

/** Each with its price in dollars per million tokens. */
export const routeModels = {
  'anthropic:dying': ['0.37', '1.93'],
  'openai-compatible:steady': ['3.11', '15.07'],
} as const

export interface TwoProviders {
  booked: Booked[]
  /** How many answers were cut, and how many requests the dead one left without a byte. */
  cut: number
  deaf: number
  env: (pricesFile: string) => Promise<Record<string, string>>
  close: () => Promise<void>
}

const turnsMax = 4

export async function startTwoProviders(): Promise<TwoProviders> {
  const [first, second] = await Promise.all([startFakeAnthropic(), startFakeOpenaiCompatible()])
  /** In which turn each run finds the first provider dying; from then on it is dead for this run. */
  const dies = new Map<string, number>()
  const dead = new Set<string>()

  function book(model: string, { body }: FakeRequest): Booked {
    const messages = body.messages as { role: string }[]
    const made: Booked = {
      marker: /marker-\d+/.exec(JSON.stringify(messages))?.[0] ?? 'unmarked',
      turn: messages.filter(({ role }) => role === 'assistant').length + 1,
      model,
      input: 1000 + providers.booked.length,
      output: 1 + Math.floor(Math.random() * 900),
    }
    return made
  }

  function serveFirst(request: FakeRequest): FakeAnswer {
    again(first, serveFirst)
    const made = book('anthropic:dying', request)
    const { marker, turn } = made
    if (!dies.has(marker)) dies.set(marker, 1 + Math.floor(Math.random() * turnsMax))
    if (dead.has(marker)) {
      providers.deaf += 1
      return { cutAtShare: 0 }
    }
    providers.booked.push(made)
    if (turn < dies.get(marker)!) return answerOf(made)
    dead.add(marker)
    providers.cut += 1
    return { ...answerOf(made), cutAtShare: Math.random() }
  }

  function serveSecond(request: FakeRequest): FakeAnswer {
    again(second, serveSecond)
    const made = book('openai-compatible:steady', request)
    providers.booked.push(made)
    return answerOf(made)
  }

  const providers: TwoProviders = {
    booked: [],
    cut: 0,
    deaf: 0,
    async env(pricesFile) {
      const prices = Object.entries(routeModels).map(([model, [input, output]]) => [model, { input, output }])
      await writeFile(pricesFile, JSON.stringify(Object.fromEntries(prices)))
      return {
        ANTHROPIC_API_KEY: 'sk-ant-canary-of-the-server',
        ANTHROPIC_BASE_URL: first.url,
        OPENAI_COMPATIBLE_URL: second.url,
        RUNYARD_MODEL_PRICES: pricesFile,
      }
    },
    async close() {
      await first.close()
      await second.close()
    },
  }
  first.answer(serveFirst)
  second.answer(serveSecond)
  return providers
}

/** It answers for ever, and remembers no request. */
function again(fake: FakeProvider, serve: (request: FakeRequest) => FakeAnswer): void {
  fake.answer(serve)
  fake.requests.length = 0
}

const answerOf = ({ marker, turn, input, output }: Booked): FakeAnswer => ({
  text: ['I go', ' on.'],
  usage: { input, output },
  ...(turn < turnsMax && {
    calls: [
      { name: 'memory_write', arguments: { path: `note-${input % 500}.md`, content: `${marker}, turn ${turn}` } },
    ],
  }),
})
