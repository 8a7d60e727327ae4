// What a turn leaves for the next request: its parts in their order, with the provider's signatures and ids.
import type { ProviderOptions } from './provider.ts'

export type AnswerPart =
  | { kind: 'text' | 'thinking'; text: string; meta?: ProviderOptions }
  /** `id` is the provider's own. Name and arguments stand in the log. */
  | { kind: 'call'; id: string; meta?: ProviderOptions }

export interface Opaque {
  /** `provider:model`: signatures of one mean nothing to another. */
  model: string
  /**
   * How many entries the model had seen. A message that came while the model answered is before the answer in the log, but was not part of
   * the request. Some providers refuse reasoning if what came before it has changed.
   */
  seen: number
  parts: AnswerPart[]
}

/** Undefined for a turn of another model. */
export function readOpaque(value: unknown, model: string): Opaque | undefined {
  const opaque = value as Opaque | null | undefined
  return opaque?.model === model && Array.isArray(opaque.parts) ? opaque : undefined
}
