// Pictures and PDF files of a request: their bytes are read when it is made, and stand beside the result that they came with.
import { pdfType } from '../../../base/fileKind.ts'
import type { Entry, ReadFiles, SeenFile } from '../model.ts'

/** The bytes in base64, by SHA-256. */
export type LoadedFiles = ReadonlyMap<string, string>

/** What the files of these entries hold, each read once. */
export async function loadFiles(entries: readonly Entry[], readFiles: ReadFiles | undefined): Promise<LoadedFiles> {
  const wanted = entries.flatMap((entry) => (entry.kind === 'result' ? (entry.files ?? []) : []))
  if (wanted.length === 0) return new Map()
  if (!readFiles) throw new Error('the entries have files, and nobody can read them')
  const bytes = await readFiles([...new Set(wanted.map(({ sha256 }) => sha256))])
  return new Map([...bytes].map(([sha256, content]) => [sha256, content.toString('base64')]))
}

type TextPart = { type: 'text'; text: string }
type FilePart = { type: 'file'; mediaType: string; filename?: string; data: { type: 'data'; data: string } }

/** A file whose retention time is over is told in words. */
export const filePart = (file: SeenFile, loaded: LoadedFiles): FilePart | TextPart => {
  const data = loaded.get(file.sha256)
  if (data === undefined) return { type: 'text', text: `(${file.name} is not stored any more.)` }
  const { media_type: mediaType } = file
  return {
    type: 'file',
    mediaType,
    ...(mediaType === pdfType && { filename: pdfName(file.name) }),
    data: { type: 'data', data },
  }
}

const nameMax = 60

/** Some providers tell a PDF by its name, and none needs more than letters. */
const pdfName = (name: string): string => {
  const last = name.slice(name.lastIndexOf('/') + 1).replace(/\.pdf$/i, '')
  return `${last.replaceAll(/[^A-Za-z0-9_-]+/g, '_').slice(0, nameMax) || 'document'}.pdf`
}

/** What stands before files that follow their result in a message of their own. */
export const caption = (tool: string, files: SeenFile[]): string => {
  const [first] = files
  const what =
    files.length > 1 ? `${files.length} files` : first?.media_type === pdfType ? `PDF (${first.name})` : 'picture'
  return `The ${what} that ${tool} gave:`
}
