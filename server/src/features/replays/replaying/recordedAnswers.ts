// Answers calls of a replay from the record: by tool and arguments, in the order of the record. Nothing else can answer a call there.
import { sortedFields } from '../../../base/sortedFields.ts'
import type { RecordedCall } from '../recording.ts'

type Answered =
  /** The next recording of this very call. */
  | { how: 'matched'; call: RecordedCall }
  /** It differs from a recorded call only in ids and times. */
  | { how: 'alike'; call: RecordedCall }
  /** It was made more often than it was recorded: it gets the last answer again. */
  | { how: 'repeated'; call: RecordedCall }
  | { how: 'unmatched' }

export interface RecordedAnswers {
  /** `mayBeAlike`: ids and times may differ, because a model wrote them. */
  take(tool: string, args: unknown, mayBeAlike: boolean): Answered
  /** The recorded calls that nobody made. */
  left(): RecordedCall[]
}

export const keyOf = (tool: string, args: unknown): string => `${tool} ${JSON.stringify(sortedFields(args ?? null))}`

const changing =
  /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?/gi

/** The same for calls that differ only in ids and times. */
const looseKeyOf = (key: string): string => key.replaceAll(changing, '?')

export function recordedAnswers(calls: readonly RecordedCall[]): RecordedAnswers {
  const free = new Set(calls)
  const keys = new Map(calls.map((call) => [call, keyOf(call.tool, call.arguments)]))
  const byKey = Map.groupBy(calls, (call) => keys.get(call)!)
  const byLooseKey = Map.groupBy(calls, (call) => looseKeyOf(keys.get(call)!))
  const next = (some: RecordedCall[] | undefined): RecordedCall | undefined => some?.find((call) => free.has(call))

  return {
    take(tool, args, mayBeAlike) {
      const key = keyOf(tool, args)
      const same = byKey.get(key)
      const matched = next(same)
      if (matched) {
        free.delete(matched)
        return { how: 'matched', call: matched }
      }
      const alike = mayBeAlike ? next(byLooseKey.get(looseKeyOf(key))) : undefined
      if (alike) {
        free.delete(alike)
        return { how: 'alike', call: alike }
      }
      const last = same?.at(-1)
      return last ? { how: 'repeated', call: last } : { how: 'unmatched' }
    },
    left: () => [...free],
  }
}
