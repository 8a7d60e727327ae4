// A provider of models: how its package is loaded, and what is special about talking to it.
import type { AnthropicProvider } from '@ai-sdk/anthropic'

/**
 * The SDK's lowest layer: one request, one stream of parts. Above it stand retries, loops, validation and telemetry that
 * the engine has of its own, and another 30 MB of memory.
 */
export type LanguageModel = ReturnType<AnthropicProvider>
export type CallOptions = Parameters<LanguageModel['doStream']>[0]
export type Prompt = CallOptions['prompt']
export type Message = Prompt[number]
export type ProviderOptions = NonNullable<CallOptions['providerOptions']>
export type StreamPart =
  Awaited<ReturnType<LanguageModel['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never
export type FinishReason = Extract<StreamPart, { type: 'finish' }>['finishReason']

export interface Provider {
  /** The name as a user reads it. */
  title: string
  /** What holds its key: a setting of the server, or a key of the team. */
  keySetting: string
  /** Cut out of every error text. */
  key: string | undefined
  /** Loads the package when it is first needed: a provider that nobody uses costs no time at the start and no memory. */
  load: () => Promise<(model: string) => LanguageModel>
  /** Asks which models there are: costs nothing, and only who has a good key is told. */
  listModels: (signal: AbortSignal) => Promise<Response>
  /** Sent with every request. */
  options?: ProviderOptions
  /** Added to the end of the instructions and of the conversation, for a cache that needs such marks. */
  cacheMark?: ProviderOptions
  /** Sent with every tool, for a provider that would otherwise turn optional arguments into required ones. */
  strictTools?: false
  /** Whether pictures and PDF files may stand inside the result of a call; otherwise they follow in a message of the user. */
  filesInResults: boolean
  /** Whether this model can hold its answer to a schema while it has tools (or has none). */
  holdsSchema: (model: string, hasTools: boolean) => boolean
}
