// Turns of a run that its model is not shown any more, and which entries of the log these are.
import type { Entry } from '../../drivers/model/model.ts'
import type { Logged } from '../ledger/history.ts'

/** Turns that the model is not shown any more, and what it has instead. */
export interface Folded {
  /** The last turn that is folded. */
  through: number
  /** The number of the last message of a person that is folded. */
  said: number
  /** What the model wrote about them. */
  notes: string
  /** What people wrote in them, word for word, the newest last. */
  people: string[]
}

export const isFolded = ({ entry, turn, seq }: Logged, folded: Folded | null): boolean => {
  if (!folded) return false
  // a message may stand before a turn in the log and have reached the model after it, so people's messages go by their own numbers
  return entry.kind === 'user' ? seq <= folded.said : turn <= folded.through
}

export type LoggedResult = Extract<Entry, { kind: 'result' }>

export const stepOfCall = (callId: string): number => Number(callId.slice(callId.lastIndexOf(':') + 1))

export const resultText = ({ result, error }: LoggedResult): string =>
  error ?? (typeof result === 'string' ? result : JSON.stringify(result ?? null))
