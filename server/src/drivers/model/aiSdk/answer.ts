// A provider's stream, gathered into one answer: text, thinking and calls in their order, with what the provider adds.
import type { TokenUsage } from '../model.ts'
import type { AnswerPart } from './opaque.ts'
import type { FinishReason, ProviderOptions, StreamPart } from './provider.ts'

export interface Answer {
  /** In the order in which they came; calls with what they ask for. */
  parts: (Block | WireCall)[]
  finish: FinishReason | undefined
  usage: TokenUsage
}

type Block = Exclude<AnswerPart, { kind: 'call' }>
type WireCall = Extract<AnswerPart, { kind: 'call' }> & { name: string; input: string }

/** Sources, files, raw chunks and the like are not used in a run, and are skipped. */
export async function gather(stream: AsyncIterable<StreamPart>, onText: (delta: string) => void): Promise<Answer> {
  const answer: Answer = { parts: [], finish: undefined, usage: { input_tokens: 0, output_tokens: 0 } }
  const blocks = new Map<string, Block>()
  let hasText = false

  function grow(block: Block, delta: string): void {
    if (block.kind === 'text' && delta !== '') {
      // Text blocks become paragraphs, in the stream as in the log.
      onText(block.text === '' && hasText ? `\n\n${delta}` : delta)
      hasText = true
    }
    block.text += delta
  }

  for await (const part of stream) {
    if (part.type === 'text-start' || part.type === 'reasoning-start') {
      const block: Block = { kind: part.type === 'text-start' ? 'text' : 'thinking', text: '' }
      answer.parts.push(block)
      blocks.set(part.id, block)
      addMeta(block, part.providerMetadata)
    } else if (part.type === 'tool-call') {
      const call: WireCall = { kind: 'call', id: part.toolCallId, name: part.toolName, input: part.input }
      answer.parts.push(call)
      addMeta(call, part.providerMetadata)
    } else if (part.type === 'finish') {
      answer.finish = part.finishReason
      answer.usage = tokens(part.usage)
    } else if (isOfBlock(part)) {
      const block = blocks.get(part.id)
      if (block && 'delta' in part) grow(block, part.delta)
      if (block) addMeta(block, part.providerMetadata)
    }
  }
  return answer
}

type OfBlock = Extract<StreamPart, { type: 'text-delta' | 'reasoning-delta' | 'text-end' | 'reasoning-end' }>
const isOfBlock = (part: StreamPart): part is OfBlock => /^(?:text|reasoning)-(?:delta|end)$/.test(part.type)

/** Signatures come piece by piece, at the start, between and at the end of a block. */
function addMeta(part: { meta?: ProviderOptions }, given: ProviderOptions | undefined): void {
  for (const [provider, values] of Object.entries(given ?? {})) {
    part.meta = { ...part.meta, [provider]: { ...part.meta?.[provider], ...values } }
  }
}

const count = (value = 0): number => (Number.isSafeInteger(value) && value > 0 ? value : 0)

function tokens({ inputTokens, outputTokens }: Extract<StreamPart, { type: 'finish' }>['usage']): TokenUsage {
  const cacheRead = count(inputTokens.cacheRead)
  const cacheWrite = count(inputTokens.cacheWrite)
  return {
    input_tokens: count(inputTokens.total),
    output_tokens: count(outputTokens.total),
    ...(cacheRead > 0 ? { cache_read_tokens: cacheRead } : {}),
    ...(cacheWrite > 0 ? { cache_write_tokens: cacheWrite } : {}),
  }
}
