// Models of the AI SDK's providers: one request a turn, streamed, with the run's log as its only memory.
import { scrubbed, scrubberOf } from '../../../base/knownSecrets.ts'
import { liveScrub } from '../../../base/liveScrub.ts'
import {
  ModelRefused,
  type Conversation,
  type Entry,
  type Model,
  type ReadFiles,
  type Setup,
  type Turn,
} from '../model.ts'
import { gather } from './answer.ts'
import { asModelError } from './failure.ts'
import { loadFiles } from './fileParts.ts'
import { instructions } from './instructions.ts'
import { isHoldable } from './outputSchema.ts'
import { toPrompt } from './prompt.ts'
import type { CallOptions, LanguageModel, Provider, StreamPart } from './provider.ts'
import { toTurn } from './turn.ts'

/** `modelId` is what the provider calls it. */
export function createAiSdkModel(provider: Provider, modelId: string): Model {
  return { isPure: false, open: (setup) => openConversation(provider, modelId, setup) }
}

function openConversation(provider: Provider, modelId: string, setup: Setup): Conversation {
  const entries: Entry[] = []
  const system = instructions(setup)
  const fixed = fixedOptions(provider, modelId, setup)
  // A server that shows what it was sent must not bring its key into a log.
  const scrub = scrubberOf(provider.key === undefined || provider.key.length < keyLengthMin ? [] : [provider.key])
  let withReasoning = true
  let loading: Promise<LanguageModel> | undefined
  /** Loaded once for all requests: each new one of the SDK makes the schemas of its answers anew. */
  const load = () => (loading ??= provider.load().then((byId) => byId(modelId)))

  async function ask(
    signal: AbortSignal,
    onText: (delta: string) => void,
    readFiles: ReadFiles | undefined,
  ): Promise<Turn> {
    const seen = entries.length
    const { model } = setup
    const files = await loadFiles(entries, readFiles)
    const { cacheMark, filesInResults } = provider
    const prompt = toPrompt({ system, entries, model, withReasoning, cacheMark, files, filesInResults })
    const parts = partsOf(provider, load, { ...fixed, prompt }, signal)
    const live = liveScrub(scrub, onText)
    const answer = await gather(parts, live.hear)
    live.end()
    const turn = toTurn(answer, { title: provider.title, model, seen, wantsJson: setup.output_schema !== null })
    return scrubbed(turn, scrub)
  }

  return {
    add: (entry) => void entries.push(entry),
    async next({ signal, onText, readFiles }) {
      try {
        return await ask(signal, onText, readFiles)
      } catch (error) {
        // The key is of another account now, or the tools have changed: without its old reasoning the run can continue.
        if (!withReasoning || !(error instanceof ModelRefused) || !refusesReasoning.test(error.message)) throw error
        withReasoning = false
        return ask(signal, onText, readFiles)
      }
    },
  }
}

/** A key of a few letters is not cut out: it would be part of ordinary words. */
const keyLengthMin = 8

const refusesReasoning = /thinking.{0,20} block|thought.signature|encrypted.content/i

/** What is the same in every request of a run. */
function fixedOptions(provider: Provider, modelId: string, setup: Setup): Omit<CallOptions, 'prompt'> {
  const { tools, output_schema: schema, output_tokens_max: outputMax } = setup
  const holds = schema && isHoldable(schema) && provider.holdsSchema(modelId, tools.length > 0)
  return {
    ...(tools.length > 0 ? { tools: tools.map((tool) => functionTool(tool, provider)) } : {}),
    ...(outputMax === null ? {} : { maxOutputTokens: outputMax }),
    ...(holds ? { responseFormat: { type: 'json', schema, name: 'output' } } : {}),
    ...(provider.options ? { providerOptions: provider.options } : {}),
  }
}

const functionTool = ({ name, description, input_schema }: Setup['tools'][number], { strictTools }: Provider) => ({
  type: 'function' as const,
  name,
  description,
  inputSchema: input_schema,
  ...(strictTools === undefined ? {} : { strict: strictTools }),
})

/** One request. If the signal or the reader ends it early, the connection is closed too. */
async function* partsOf(
  provider: Provider,
  load: () => Promise<LanguageModel>,
  options: CallOptions,
  signal: AbortSignal,
): AsyncGenerator<StreamPart> {
  const given = new AbortController()
  let isWhole = false
  try {
    signal.throwIfAborted()
    const model = await load()
    signal.throwIfAborted()
    const { stream } = await model.doStream({ ...options, abortSignal: AbortSignal.any([signal, given.signal]) })
    for await (const part of stream) {
      if (part.type === 'error') throw asModelError(part.error, provider)
      yield part
    }
    isWhole = true
  } catch (error) {
    signal.throwIfAborted()
    throw asModelError(error, provider)
  } finally {
    if (!isWhole) given.abort()
  }
}
