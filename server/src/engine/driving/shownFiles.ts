// Which pictures and PDF files of its log a model is shown, and the words in place of those that it is not.
import { isRecord } from '../../base/isRecord.ts'
import type { Entry, SeenFile } from '../../drivers/model/model.ts'
import type { Sight } from '../../drivers/model/sight.ts'
import { describe, shownBounds } from '../../kit/shownFile.ts'
import type { Logged } from '../ledger/history.ts'
import { isFolded, stepOfCall, type Folded, type LoggedResult } from './folded.ts'

/** What of a view says which files are shown. */
interface FilesView {
  folded: Folded | null
  /** Files of steps up to this one are not shown any more; 0: all are. */
  dropped: number
}

const isShown = ({ media_type }: SeenFile, step: number, view: FilesView, sight: Sight): boolean =>
  step > view.dropped && sight.has(media_type)

/** The result with the files that the model is shown, and a line about each that it is not. */
export function withShownFiles(entry: LoggedResult, view: FilesView, sight: Sight): Entry {
  const { files: all, ...bare } = entry
  if (!all) return entry
  const step = stepOfCall(entry.call_id)
  const files = all.filter((file) => isShown(file, step, view, sight))
  const lines = all.flatMap((file) => (files.includes(file) ? [] : lineAbout(file, step, sight)))
  return { ...withLines(bare, lines), ...(files.length > 0 && { files }) }
}

/** A model that cannot see misses nothing where the picture only came along. */
function lineAbout(file: SeenFile, step: number, sight: Sight): string[] {
  if (sight.has(file.media_type)) {
    return [
      `${describe(file)}, about ${fileTokens(file)} tokens: not shown any more, to make room. recall with step ${step} shows it again.`,
    ]
  }
  return file.is_aside ? [] : [`${describe(file)}: you cannot be shown this type of file.`]
}

function withLines(entry: LoggedResult, lines: string[]): LoggedResult {
  if (lines.length === 0) return entry
  const { error, result } = entry
  if (error !== null) return { ...entry, error: `${error} ${lines.join(' ')}` }
  return { ...entry, result: isRecord(result) ? { ...result, not_shown: lines } : { result, not_shown: lines } }
}

/** Providers count a picture by its pixels: Anthropic says one token for 750 of them, and makes large ones smaller first. */
const pixelsOfToken = 750
const pictureTokensMin = 100
const pictureTokensMax = 5000
/** Anthropic says 1,500 to 3,000 tokens for the text of a page, and the page is a picture too. */
const pageTokens = 3000
/** For pages that cannot be counted. */
const pageBytes = 50_000

/** About how many tokens a file takes in a request. */
export function fileTokens({ width, height, pages, size_bytes }: SeenFile): number {
  if (width === null || height === null) {
    const guessed = Math.min(shownBounds.pdfPages, Math.ceil(size_bytes / pageBytes))
    return pageTokens * Math.max(1, pages ?? guessed)
  }
  return Math.min(pictureTokensMax, Math.max(pictureTokensMin, Math.ceil((width * height) / pixelsOfToken)))
}

/** What came with one step. */
export interface StepFiles {
  step: number
  turn: number
  files: SeenFile[]
}

/** The files that a model is shown, by the steps that they came with, the oldest first. */
export function shownFiles(log: readonly Logged[], view: FilesView, sight: Sight): StepFiles[] {
  const found = log.flatMap((one): StepFiles[] => {
    const { entry, turn } = one
    if (entry.kind !== 'result' || !entry.files || isFolded(one, view.folded)) return []
    const step = stepOfCall(entry.call_id)
    const files = entry.files.filter((file) => isShown(file, step, view, sight))
    return files.length > 0 ? [{ step, turn, files }] : []
  })
  return found.toSorted((one, other) => one.step - other.step)
}

/** A process that gives its runs little memory shows them less. */
const memoryShare = 4

/** How many bytes of files a request may have. */
export const shownBytesMax = (runMemoryBytes: number): number =>
  Math.min(shownBounds.bytes, runMemoryBytes / memoryShare)

/**
 * If the files are more than a request may have: the last step whose files are not shown any more. Half of what is allowed stays, so that
 * this happens once in many turns: each time changes the beginning of the requests, which the provider has in its cache.
 */
export function dropAtBounds(shown: StepFiles[], bytesMax: number): number | undefined {
  const isOver = (some: StepFiles[], share: number) =>
    some.flatMap(({ files }) => files).length > shownBounds.files * share || bytesOfFiles(some) > bytesMax * share
  if (!isOver(shown, 1)) return undefined
  const kept: StepFiles[] = []
  for (const one of shown.toReversed()) {
    kept.push(one)
    // the newest are always shown: a call shows no more than this share by itself
    if (kept.length > 1 && isOver(kept, 0.5)) return one.step
  }
  return undefined
}

export const bytesOfFiles = (shown: StepFiles[]): number =>
  shown.flatMap(({ files }) => files).reduce((sum, { size_bytes }) => sum + size_bytes, 0)
