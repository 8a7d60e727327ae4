// How a file is shown: by its name and by whether its content is text. Nothing of it is ever run: HTML and SVG are shown as text.

export type Shown = 'markdown' | 'table' | 'json' | 'text' | 'picture' | 'pdf' | 'none'

/** Pictures that a browser draws without running anything. SVG is not among them. */
const pictures: Record<string, string> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
}

/** A longer text is cut here; the whole can be saved. */
export const textMax = 200_000
/** JSON that is longer is shown as text. */
const jsonMax = 2_000_000

export const endingOf = (path: string): string => /\.([a-z0-9]{1,8})$/i.exec(path)?.[1]?.toLowerCase() ?? ''

export const pictureTypeOf = (path: string): string | undefined => pictures[endingOf(path)]

export function shownAs(file: { path: string; encoding: 'utf-8' | 'base64'; content: string | null }): Shown {
  if (file.content === null) return 'none'
  const ending = endingOf(file.path)
  if (file.encoding === 'base64')
    return pictureTypeOf(file.path) ? 'picture' : ending === 'pdf' && isPdf(file.content) ? 'pdf' : 'none'
  if (ending === 'md' || ending === 'markdown') return 'markdown'
  if (ending === 'csv' || ending === 'tsv') return 'table'
  if (ending === 'json' && file.content.length <= jsonMax && isJson(file.content)) return 'json'
  // a PDF of letters alone
  if (ending === 'pdf' && file.content.startsWith('%PDF-')) return 'pdf'
  return 'text'
}

/** `%PDF-` in base64. */
const isPdf = (base64: string): boolean => base64.startsWith('JVBERi0')

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    // the name promises what the content is not: it is shown as what it is
    return false
  }
}

/** The bytes of a file as the page can draw or save them, under the type that we chose, never one that the file claims. */
export function blobOf({ content, encoding }: { content: string; encoding: 'utf-8' | 'base64' }, type: string): Blob {
  if (encoding === 'utf-8') return new Blob([content], { type })
  const binary = atob(content)
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at)
  return new Blob([bytes], { type })
}

/** `/workspace/out/report.md` without the beginning that all paths share. */
export const shortPath = (path: string): string => path.replace(/^\/workspace\//, '')
