// What a model is shown of a run's log: all of it while that fits its window, else with old results shortened and old turns folded into notes.
import type { Entry } from '../../drivers/model/model.ts'
import type { Logged } from '../ledger/history.ts'
import { isFolded, resultText, stepOfCall, type Folded, type LoggedResult } from './folded.ts'
import { notesText } from './foldText.ts'

/** Results of turns up to `through` are shown with at most this many characters. */
export interface Shortening {
  through: number
  chars: number
}

/** Written whole with every change of it, so that the last record says everything. */
export interface View {
  folded: Folded | null
  shortened: Shortening[]
  /** The window that a provider's refusal taught; null: that of the table. */
  window: number | null
  /** The provider’s last count says this. */
  bytesPerToken: number
}

/** Careful for English and JSON, until the provider's first count. */
export const newView = (): View => ({ folded: null, shortened: [], window: null, bytesPerToken: 3 })

export function shownEntries(log: readonly Logged[], view: View): Entry[] {
  const kept = log.filter((one) => !isFolded(one, view.folded)).map((one) => shown(one, view.shortened))
  return view.folded ? [{ kind: 'system', text: notesText(view.folded) }, ...kept] : kept
}

function shown({ entry, turn }: Logged, shortened: Shortening[]): Entry {
  if (entry.kind !== 'result') return entry
  const chars = Math.min(...shortened.filter(({ through }) => turn <= through).map((one) => one.chars))
  return Number.isFinite(chars) ? shortenedResult(entry, chars) : entry
}

/** About how many characters a shortened result needs to say that it is shortened. */
const remarkChars = 120

function shortenedResult(entry: LoggedResult, chars: number): Entry {
  const text = resultText(entry)
  if (text.length <= chars + remarkChars) return entry
  const step = stepOfCall(entry.call_id)
  const beginning = text.slice(0, chars).toWellFormed()
  if (entry.error !== null) return { ...entry, error: `${beginning} … (shortened: recall reads step ${step} whole)` }
  return { ...entry, result: { shortened: true, characters: text.length, beginning, whole: `recall step ${step}` } }
}

/** Providers count a picture by its size in pixels: about this many bytes of text. */
const pictureBytes = 6000

/** About how much an entry adds to a request. */
export function entryBytes(entry: Entry): number {
  const whole = JSON.stringify(entry).length
  const picture = entry.kind === 'result' ? (entry.result as { picture?: { base64?: unknown } } | null)?.picture : null
  return typeof picture?.base64 === 'string' ? whole - picture.base64.length + pictureBytes : whole
}

export const bytesOf = (entries: readonly Entry[]): number => entries.reduce((sum, entry) => sum + entryBytes(entry), 0)

interface Bounds {
  /** What every request has: procedure, facts and tools. */
  fixedBytes: number
  /** What a request may have. */
  limitBytes: number
}

type RoomPlan =
  | { kind: 'shorten'; shortened: Shortening[] }
  | { kind: 'fold'; through: number }
  /** Nothing that could be left out is there. */
  | { kind: 'none' }

/** How much of the room for the log the newest turns keep as they are. */
const keptShare = 0.4
/** Shortening alone is enough if it leaves the log this much of its room: the next time should be many turns away. */
const enoughShare = 0.7
const oldResultChars = 200
const newResultCharsMin = 300

/**
 * The first that helps: old results are shortened, old turns are folded, and last the results of the newest turns are shortened. Between two
 * such changes requests only grow at their end, which keeps the provider's cache of their beginning useful.
 */
export function planRoom(log: readonly Logged[], view: View, { fixedBytes, limitBytes }: Bounds): RoomPlan {
  const room = Math.max(limitBytes - fixedBytes, limitBytes * 0.15)
  const before = bytesOf(shownEntries(log, view))
  const after = (shortened: Shortening[]) => bytesOf(shownEntries(log, { ...view, shortened }))
  const old = oldTurns(log, view, room * keptShare)
  if (old !== undefined) {
    const shortened = withShortening(view.shortened, { through: old, chars: oldResultChars })
    const bytes = after(shortened)
    return bytes < before && bytes <= room * enoughShare
      ? { kind: 'shorten', shortened }
      : { kind: 'fold', through: old }
  }
  const newest = log.at(-1)?.turn ?? 0
  const results = log.filter((one) => one.entry.kind === 'result' && !isFolded(one, view.folded)).length
  const chars = Math.max(newResultCharsMin, Math.floor((room * 0.5) / Math.max(1, results)))
  const shortened = withShortening(view.shortened, { through: newest, chars })
  return after(shortened) < before * 0.95 ? { kind: 'shorten', shortened } : { kind: 'none' }
}

/** One that the new one includes says nothing more. */
const withShortening = (shortened: Shortening[], added: Shortening): Shortening[] => [
  ...shortened.filter(({ through, chars }) => through > added.through || chars < added.chars),
  added,
]

/** The last turn before those that are kept; undefined: all are kept. The newest turn always is. */
function oldTurns(log: readonly Logged[], view: View, keptBytes: number): number | undefined {
  const bytes = new Map<number, number>()
  for (const one of log) {
    if (isFolded(one, view.folded)) continue
    const size = entryBytes(shown(one, view.shortened))
    bytes.set(one.turn, (bytes.get(one.turn) ?? 0) + size)
  }
  const turns = [...bytes.keys()].filter((turn) => turn > 0).toSorted((one, other) => other - one)
  let kept = 0
  for (const [index, turn] of turns.entries()) {
    kept += bytes.get(turn) ?? 0
    if (index > 0 && kept > keptBytes) return turn
  }
  return undefined
}
