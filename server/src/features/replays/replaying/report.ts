// The report about one replayed run: both sides beside each other, what differs, and one figure for how far they match.
import { sortedFields } from '../../../base/sortedFields.ts'
import { named, nullable, oneOf, Type, type Static } from '../../../kit/schema.ts'
import type { RecordedCall } from '../recording.ts'
import { keyOf } from './recordedAnswers.ts'

/** The findings that are no difference: they only say how something was matched. */
const remarks = ['alike_call', 'file_gone', 'other_model'] as const
const findingKinds = [
  'unmatched_call',
  'repeated_call',
  'call_refused',
  'call_not_made',
  'approval_added',
  'approval_removed',
  'message_unread',
  'status_differs',
  'output_differs',
  ...remarks,
] as const

export const Finding = named(
  'ReplayFinding',
  Type.Object({
    kind: oneOf(findingKinds),
    turn: nullable(Type.Integer({ description: 'The turn of the replay; null: the whole run.' })),
    tool: nullable(Type.String()),
    message: Type.String({ description: 'What was found, in a sentence.' }),
  }),
)
export type Finding = Static<typeof Finding>

const ShownCall = Type.Object({
  step: Type.Integer({ description: 'Its number in the run, or in the replay.' }),
  tool: Type.String(),
  arguments: Type.Unknown({ description: 'Long ones are cut, as text.' }),
  error: nullable(Type.String()),
})
type ShownCall = Static<typeof ShownCall>

const CallPair = named(
  'ReplayCallPair',
  Type.Object({
    recorded: nullable(ShownCall),
    replayed: nullable(ShownCall),
    is_same: Type.Boolean(),
  }),
)

const Side = named(
  'ReplaySide',
  Type.Object({
    status: oneOf(['completed', 'failed']),
    output: Type.Unknown({ description: 'A long one is cut, as text.' }),
    error: nullable(Type.Object({ code: Type.String(), message: Type.String() })),
    calls: Type.Integer({ minimum: 0 }),
    turns: Type.Integer({ minimum: 0 }),
    input_tokens: Type.Integer({ minimum: 0 }),
    output_tokens: Type.Integer({ minimum: 0 }),
    cost_usd: Type.String({ description: 'Decimal text.' }),
    model_ms: Type.Integer({ minimum: 0, description: 'How long models took.' }),
    duration_ms: nullable(
      Type.Integer({ minimum: 0, description: 'With waits; null for a replay, which waits for nobody.' }),
    ),
    score: nullable(Type.Number({ minimum: 0, maximum: 1, description: 'The share of the checks that passed.' })),
    failed_checks: Type.Array(Type.String()),
  }),
)
export type Side = Static<typeof Side>

export const ReplayReport = named(
  'ReplayReport',
  Type.Object({
    recorded: Side,
    replayed: Side,
    calls: Type.Array(CallPair, { description: 'The calls of both in order, the first 300.' }),
    calls_match: Type.Number({ minimum: 0, maximum: 1 }),
    output_match: Type.Number({ minimum: 0, maximum: 1 }),
    findings: Type.Array(Finding, { description: 'The first 200.' }),
  }),
)
export type ReplayReport = Static<typeof ReplayReport>

/** A call that the replay asked for. */
export interface ReplayedCall {
  step: number
  tool: string
  arguments: unknown
  error: string | null
}

const pairsMax = 300
export const findingsMax = 200
const shownChars = 4000
/** About how much text the calls of one side have in a report: of many calls each is cut shorter. */
const sideChars = 200_000
const shownOutputChars = 20_000
/** Lists of this length are compared whole. */
const comparedMax = 1000

const cutTo = (value: unknown, chars: number): unknown => {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null)
  return text.length <= chars ? (value ?? null) : `${text.slice(0, chars).toWellFormed()} …`
}
export const shownOutput = (output: unknown): unknown => cutTo(output, shownOutputChars)
const shownCall = ({ step, tool, arguments: args, error }: ReplayedCall | RecordedCall, chars: number): ShownCall => ({
  step,
  tool,
  arguments: cutTo(args, chars),
  error: error === null ? null : (cutTo(error, chars) as string),
})

type Pair = Static<typeof CallPair>

/** Sets both lists beside each other so that as many equal calls as possible are in one row. */
export function pairCalls(
  recorded: readonly RecordedCall[],
  replayed: readonly ReplayedCall[],
  /** The recorded call that answered a replayed one which differs only in ids and times. */
  alike: ReadonlyMap<ReplayedCall, RecordedCall>,
): { pairs: Pair[]; match: number; same: number } {
  const left = recorded.slice(0, comparedMax)
  const right = replayed.slice(0, comparedMax)
  // numbers in place of long texts: each is compared with all of the other side
  const numbers = new Map<string, number>()
  const numberOf = ({ tool, arguments: args }: ReplayedCall | RecordedCall): number => {
    const key = keyOf(tool, args)
    const known = numbers.get(key) ?? numbers.size
    numbers.set(key, known)
    return known
  }
  const leftKeys = left.map(numberOf)
  const rightKeys = right.map((call) => numberOf(alike.get(call) ?? call))
  const chars = Math.min(shownChars, Math.ceil(sideChars / Math.min(pairsMax, Math.max(1, left.length, right.length))))
  const lengths = commonLengths(leftKeys, rightKeys)
  const pairs: Pair[] = []
  let [i, j, same] = [0, 0, 0]
  while (i < left.length || j < right.length) {
    const isSame = i < left.length && j < right.length && leftKeys[i] === rightKeys[j]
    const width = right.length + 1
    const skipsLeft =
      j >= right.length || (i < left.length && lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!)
    const one = isSame || skipsLeft ? left[i] : undefined
    const other = isSame || !skipsLeft ? right[j] : undefined
    if (isSame) same += 1
    if (one) i += 1
    if (other) j += 1
    if (pairs.length < pairsMax) {
      pairs.push({
        recorded: one ? shownCall(one, chars) : null,
        replayed: other ? shownCall(other, chars) : null,
        is_same: isSame,
      })
    }
  }
  const all = recorded.length + replayed.length
  return { pairs: joined(pairs), match: all === 0 ? 1 : (2 * same) / all, same }
}

/** A call of one side that differs and the next of the other side, of the same tool, stand in one row. */
function joined(pairs: Pair[]): Pair[] {
  const out: Pair[] = []
  for (const pair of pairs) {
    const last = out.at(-1)
    const fits = last && !last.is_same && !pair.is_same && (last.replayed === null) !== (pair.replayed === null)
    const [from, to] = fits ? [last.recorded ?? pair.recorded, last.replayed ?? pair.replayed] : []
    if (fits && from && to && from.tool === to.tool)
      out[out.length - 1] = { recorded: from, replayed: to, is_same: false }
    else out.push(pair)
  }
  return out
}

/** How long the longest common part of both ends is, from each position on. */
function commonLengths(left: number[], right: number[]): Uint16Array {
  const width = right.length + 1
  const lengths = new Uint16Array((left.length + 1) * width)
  for (let i = left.length - 1; i >= 0; i--) {
    for (let j = right.length - 1; j >= 0; j--) {
      const at = i * width + j
      lengths[at] =
        left[i] === right[j] ? lengths[at + width + 1]! + 1 : Math.max(lengths[at + width]!, lengths[at + 1]!)
    }
  }
  return lengths
}

/** 1 for equal outputs. Of objects the share of equal values counts, of texts the share of equal words. */
export function outputMatch(recorded: unknown, replayed: unknown): number {
  const [one, other] = [recorded ?? null, replayed ?? null]
  if (textOf(one) === textOf(other)) return 1
  if (typeof one === 'string' && typeof other === 'string') return shared(wordsOf(one), wordsOf(other))
  return shared(leavesOf(one), leavesOf(other))
}

const textOf = (value: unknown): string => JSON.stringify(sortedFields(value))

const countedMax = 5000
const wordsOf = (text: string): string[] => text.slice(0, 200_000).toLowerCase().split(/\s+/).slice(0, countedMax)

function leavesOf(value: unknown, path = '', found: string[] = []): string[] {
  if (found.length >= countedMax) return found
  if (typeof value !== 'object' || value === null) found.push(`${path}=${JSON.stringify(value)}`)
  else for (const [name, inner] of Object.entries(value)) leavesOf(inner, `${path}/${name}`, found)
  return found
}

/** The share of what both have, each as often as it occurs. */
function shared(one: string[], other: string[]): number {
  const counts = new Map<string, number>()
  for (const item of one) counts.set(item, (counts.get(item) ?? 0) + 1)
  let same = 0
  for (const item of other) {
    const left = counts.get(item) ?? 0
    if (left > 0) same += 1
    counts.set(item, left - 1)
  }
  return one.length + other.length === 0 ? 1 : (2 * same) / (one.length + other.length)
}

const isRemark = ({ kind }: Finding): boolean => (remarks as readonly string[]).includes(kind)

/** Nothing differs, whatever was remarked. */
export const isSame = (findings: readonly Finding[], callsMatch: number): boolean =>
  callsMatch === 1 && findings.every(isRemark)

/** A run that ends otherwise matches in nothing. */
export const matchOf = (recorded: Side, replayed: Side, callsMatch: number, output: number): number =>
  recorded.status === replayed.status ? Math.round(((callsMatch + output) / 2) * 100_000) / 100_000 : 0
