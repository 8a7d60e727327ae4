// Files that a tool shows to a model: which can be shown at all, with the bounds of all providers in one place, and words for the others.
import { hash } from 'node:crypto'
import type { Sql } from '../base/db.ts'
import { fileKind, isLockedPdf, pdfType } from '../base/fileKind.ts'
import type { SeenFile } from '../drivers/model/model.ts'
import { blobsOfRuns } from './blobs.ts'
import type { Context } from './context.ts'

const megabyte = 1_000_000

/**
 * What a model is shown at most. A run may go from one provider to another in the middle, so the strictest of them counts, by the limits that
 * their documentation gives (November 2026), and by what a process that works on many runs can hold of each.
 */
export const shownBounds = {
  /** Anthropic takes 5 MB a picture, counted in base64, which is a third longer. OpenAI and Google take more. */
  pictureBytes: 3.75 * megabyte,
  /** Anthropic refuses a longer side. */
  pictureSide: 8000,
  /** Anthropic takes 32 MB a request, OpenAI 50 MB, Google 20 MB: a PDF of this size leaves each of them room for the rest. */
  pdfBytes: 8 * megabyte,
  /** Anthropic takes 100 pages in models with a window of 200,000 tokens, Google 1,000. Pages that cannot be counted are bounded by the bytes. */
  pdfPages: 100,
  /** In one request: Anthropic takes smaller pictures only from the 21st on. */
  files: 20,
  /** In one request: 16 MB in base64, of the 20 MB that Google takes inline. */
  bytes: 12 * megabyte,
} as const

/** Enough of a file to tell what it is. */
const headBytes = 64 * 1024
/** No file is read further. */
const readBytesMax = Math.max(shownBounds.pictureBytes, shownBounds.pdfBytes)

interface StoredFile {
  /** The name that the model knows it by. */
  name: string
  sha256: string
  size_bytes: number
}

/** The file as it can be shown, or a sentence that says what it is and why it cannot be. */
export type Showable = { shown: SeenFile } | { problem: string }

/** For a file that is stored already. */
export async function showStored(context: Context, sql: Sql, file: StoredFile): Promise<Showable> {
  const bytesMax = file.size_bytes > readBytesMax ? headBytes : readBytesMax
  const bytes = (await blobsOfRuns(context, sql).get([file.sha256], bytesMax)).get(file.sha256)
  return bytes ? showable(file, bytes) : { problem: `${file.name} is not stored any more.` }
}

/** For bytes that are stored with the result. */
export const showBytes = (name: string, bytes: Buffer): Showable =>
  showable({ name, sha256: hash('sha256', bytes, 'hex'), size_bytes: bytes.length }, bytes)

/** `bytes` may be the beginning of a file that is too large anyway. */
function showable(file: StoredFile, bytes: Buffer): Showable {
  const kind = fileKind(bytes)
  const { name, size_bytes } = file
  if (!kind) {
    const says = `${name} is neither a picture (PNG, JPEG, GIF, WebP) nor a PDF by its bytes, whatever its name says`
    return { problem: `${says} (${sizeWords(size_bytes)}).` }
  }
  const shown: SeenFile = { ...kind, ...file }
  const why = kind.media_type === pdfType ? pdfProblem(shown, bytes) : pictureProblem(shown)
  return why === undefined ? { shown } : { problem: `${describe(shown)} cannot be shown: ${why}.` }
}

function pictureProblem({ size_bytes, width, height }: SeenFile): string | undefined {
  const { pictureBytes, pictureSide } = shownBounds
  if (size_bytes > pictureBytes) return `a picture has at most ${sizeWords(pictureBytes)}`
  return Math.max(width ?? 0, height ?? 0) > pictureSide
    ? `a picture has at most ${pictureSide} pixels a side`
    : undefined
}

function pdfProblem({ size_bytes, pages }: SeenFile, bytes: Buffer): string | undefined {
  const { pdfBytes, pdfPages } = shownBounds
  if (size_bytes > pdfBytes) return `a PDF has at most ${sizeWords(pdfBytes)}`
  if ((pages ?? 0) > pdfPages) return `a PDF has at most ${pdfPages} pages`
  return isLockedPdf(bytes) ? 'it needs a password' : undefined
}

/** One result shows at most half of what a request may have. */
const shareOfResult = 2

/** The files of one result, as many as fit; the others can be asked for by their names. */
export function showSome(all: Showable[]): SeenFile[] {
  const shows: SeenFile[] = []
  let bytes = 0
  for (const one of all) {
    if (!('shown' in one)) continue
    bytes += one.shown.size_bytes
    if (shows.length + 1 > shownBounds.files / shareOfResult || bytes > shownBounds.bytes / shareOfResult) break
    shows.push(one.shown)
  }
  return shows
}

const sizeWords = (bytes: number): string => {
  if (bytes < 1000) return `${bytes} bytes`
  return bytes < megabyte
    ? `${Math.round(bytes / 1000)} KB`
    : `${(bytes / megabyte).toFixed(2).replace(/\.?0+$/, '')} MB`
}

/** Name, type and size. */
export function describe({ name, media_type, size_bytes, width, height, pages }: SeenFile): string {
  const extent =
    width === null ? (pages === null ? '' : `, ${pages} ${pages === 1 ? 'page' : 'pages'}`) : `, ${width}×${height}`
  return `${name} (${media_type}${extent}, ${sizeWords(size_bytes)})`
}

/** What a tool that shows a file answers besides. */
export const factsOf = ({ media_type, size_bytes, width, height, pages }: SeenFile) => ({
  media_type,
  size_bytes,
  ...(width !== null && { width, height }),
  ...(pages !== null && { pages }),
})
