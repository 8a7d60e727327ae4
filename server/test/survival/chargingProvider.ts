// A provider of models that books every request it accepts, whatever becomes of its answer: what it would send a bill for.
import { writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FakeAnswer, FakeRequest } from '../fakes/fakeProvider.ts'
import { startFakeOpenaiCompatible } from '../fakes/openaiCompatible.ts'

export interface Charge {
  /** The word `marker-…` of the run's message, and which of its turns was asked for. */
  marker: string
  turn: number
  model: string
  /** No two charges have the same number of them. */
  input: number
  output: number
}

/** Dollars for a hundred million tokens, so that no charge has a fraction of these. */
const hundredMillion: Record<string, { input: number; output: number }> = {
  'openai-compatible:small': { input: 37, output: 193 },
  'openai-compatible:large': { input: 311, output: 1507 },
}
export const chargingModels = Object.keys(hundredMillion)

/** In hundred-millionths of a dollar. */
export const costOf = ({ model, input, output }: Charge): number =>
  input * hundredMillion[model]!.input + output * hundredMillion[model]!.output

/** For RUNYARD_MODEL_PRICES. */
export async function writePrices(path: string): Promise<string> {
  const perMillion = Object.entries(hundredMillion).map(([model, { input, output }]) => {
    return [model, { input: String(input / 100), output: String(output / 100) }]
  })
  await writeFile(path, JSON.stringify(Object.fromEntries(perMillion)))
  return path
}

export interface ChargingProvider {
  url: string
  charges: Charge[]
  /** Requests that it did not accept, and streams that it broke although they are charged. */
  refused: number
  broken: number
  close: () => Promise<void>
}

/** Every so many requests, one. */
const refusedEvery = 29
const brokenEvery = 31
const turnsMax = 4
const answerMsMax = 60

export async function startChargingProvider(): Promise<ChargingProvider> {
  const fake = await startFakeOpenaiCompatible()
  const provider: ChargingProvider = { url: fake.url, charges: [], refused: 0, broken: 0, close: fake.close }

  let asked = 0

  function serve(request: FakeRequest): FakeAnswer {
    fake.answer(serve)
    // ten thousand runs would fill the memory with what nobody reads
    fake.requests.length = 0
    asked += 1
    if (asked % refusedEvery === 0) {
      provider.refused += 1
      return { status: 429, headers: { 'retry-after-ms': '20' }, error: { message: 'Slow down.' } }
    }
    const charge = chargeOf(request, provider.charges.length)
    provider.charges.push(charge)
    const isBroken = asked % brokenEvery === 0
    if (isBroken) provider.broken += 1
    return {
      text: ['I go', ' on.'],
      usage: { input: charge.input, output: charge.output },
      hold: sleep(Math.random() * answerMsMax),
      ...(charge.turn < turnsMax && Math.random() < 0.6 && { calls: [note(charge)] }),
      ...(isBroken && { instead: 'break' }),
    }
  }

  fake.answer(serve)
  return provider
}

function chargeOf({ body }: FakeRequest, before: number): Charge {
  const messages = body.messages as { role: string }[]
  return {
    marker: /marker-\d+/.exec(JSON.stringify(messages))?.[0] ?? 'unmarked',
    turn: messages.filter(({ role }) => role === 'assistant').length + 1,
    model: `openai-compatible:${body.model}`,
    input: 1000 + before,
    output: 1 + Math.floor(Math.random() * 900),
  }
}

/** An agent keeps a thousand files at most. */
const notesMax = 500

const note = ({ marker, turn, input }: Charge) => ({
  name: 'memory_write',
  arguments: { path: `note-${input % notesMax}.md`, content: `${marker}, turn ${turn}` },
})
