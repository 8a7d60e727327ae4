// What a model is shown of a run's log: all of it while that fits its window, else without old pictures, with old results shortened and old turns
// folded into notes.
import type { Entry } from '../../drivers/model/model.ts'
import { blind, type Sight } from '../../drivers/model/sight.ts'
import type { Logged } from '../ledger/history.ts'
import { isFolded, resultText, stepOfCall, type Folded, type LoggedResult } from './folded.ts'
import { notesText } from './foldText.ts'
import { fileTokens, shownFiles, withShownFiles } from './shownFiles.ts'

/** Results of turns up to `through` are shown with at most this many characters. */
export interface Shortening {
  through: number
  chars: number
}

/** Written whole with every change of it, so that the last record says everything. */
export interface View {
  folded: Folded | null
  shortened: Shortening[]
  /** Pictures and PDF files of steps up to this one are not shown any more; 0: all are. */
  dropped: number
  /** The window that a provider's refusal taught; null: that of the table. */
  window: number | null
  /** The provider’s last count says this. */
  bytesPerToken: number
}

/** Careful for English and JSON, until the provider's first count. */
export const newView = (): View => ({ folded: null, shortened: [], dropped: 0, window: null, bytesPerToken: 3 })

/** `sight`: which files the model takes. */
export function shownEntries(log: readonly Logged[], view: View, sight: Sight = blind): Entry[] {
  const kept = log.filter((one) => !isFolded(one, view.folded)).map((one) => shown(one, view, sight))
  return view.folded ? [{ kind: 'system', text: notesText(view.folded) }, ...kept] : kept
}

function shown({ entry, turn }: Logged, view: View, sight: Sight): Entry {
  if (entry.kind !== 'result') return entry
  const chars = Math.min(...view.shortened.filter(({ through }) => turn <= through).map((one) => one.chars))
  return withShownFiles(Number.isFinite(chars) ? shortenedResult(entry, chars) : entry, view, sight)
}

/** About how many characters a shortened result needs to say that it is shortened. */
const remarkChars = 120

function shortenedResult(entry: LoggedResult, chars: number): LoggedResult {
  const text = resultText(entry)
  if (text.length <= chars + remarkChars) return entry
  const step = stepOfCall(entry.call_id)
  const beginning = text.slice(0, chars).toWellFormed()
  if (entry.error !== null) return { ...entry, error: `${beginning} … (shortened: recall reads step ${step} whole)` }
  return { ...entry, result: { shortened: true, characters: text.length, beginning, whole: `recall step ${step}` } }
}

/** About as many bytes of text make a token; what the provider counts teaches the rest (`bytesPerToken`). */
const bytesOfFileToken = 4

/** About how much an entry adds to a request. */
export function entryBytes(entry: Entry): number {
  if (entry.kind !== 'result' || !entry.files) return JSON.stringify(entry).length
  const { files, ...bare } = entry
  return JSON.stringify(bare).length + files.reduce((sum, file) => sum + fileTokens(file), 0) * bytesOfFileToken
}

export const bytesOf = (entries: readonly Entry[]): number => entries.reduce((sum, entry) => sum + entryBytes(entry), 0)

interface Bounds {
  /** What every request has: procedure, facts and tools. */
  fixedBytes: number
  /** What a request may have. */
  limitBytes: number
  sight?: Sight
}

type RoomPlan =
  | { kind: 'drop'; dropped: number }
  | { kind: 'shorten'; shortened: Shortening[]; dropped: number }
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
 * The first that helps: old pictures are dropped, old results are shortened, old turns are folded, and last the same is done with the newest
 * turns. Between two such changes requests only grow at their end, which keeps the provider's cache of their beginning useful.
 */
export function planRoom(
  log: readonly Logged[],
  view: View,
  { fixedBytes, limitBytes, sight = blind }: Bounds,
): RoomPlan {
  const room = Math.max(limitBytes - fixedBytes, limitBytes * 0.15)
  const bytesWith = (change: Partial<View>) => bytesOf(shownEntries(log, { ...view, ...change }, sight))
  const before = bytesWith({})
  const files = shownFiles(log, view, sight)
  const old = oldTurns(log, view, sight, room * keptShare)
  if (old !== undefined) {
    const dropped = files.findLast(({ turn }) => turn <= old)?.step ?? view.dropped
    if (dropped > view.dropped && bytesWith({ dropped }) <= room * enoughShare) return { kind: 'drop', dropped }
    const shortened = withShortening(view.shortened, { through: old, chars: oldResultChars })
    const bytes = bytesWith({ shortened, dropped })
    return bytes < before && bytes <= room * enoughShare
      ? { kind: 'shorten', shortened, dropped }
      : { kind: 'fold', through: old }
  }
  // the newest file stays as long as others can go
  const newestFile = files.at(-2) ?? files.at(-1)
  if (newestFile) return { kind: 'drop', dropped: newestFile.step }
  const newest = log.at(-1)?.turn ?? 0
  const results = log.filter((one) => one.entry.kind === 'result' && !isFolded(one, view.folded)).length
  const chars = Math.max(newResultCharsMin, Math.floor((room * 0.5) / Math.max(1, results)))
  const shortened = withShortening(view.shortened, { through: newest, chars })
  return bytesWith({ shortened }) < before * 0.95
    ? { kind: 'shorten', shortened, dropped: view.dropped }
    : { kind: 'none' }
}

/** One that the new one includes says nothing more. */
const withShortening = (shortened: Shortening[], added: Shortening): Shortening[] => [
  ...shortened.filter(({ through, chars }) => through > added.through || chars < added.chars),
  added,
]

/** The last turn before those that are kept; undefined: all are kept. The newest turn always is. */
function oldTurns(log: readonly Logged[], view: View, sight: Sight, keptBytes: number): number | undefined {
  const bytes = new Map<number, number>()
  for (const one of log) {
    if (isFolded(one, view.folded)) continue
    const size = entryBytes(shown(one, view, sight))
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
