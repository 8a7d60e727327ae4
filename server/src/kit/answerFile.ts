// A file as the answer of an operation: what its declaration says, what its handler returns, and the reply that is made of it.
import { contentDisposition } from '../base/contentDisposition.ts'

export interface AnswerFile {
  /** The media types that it may have, without parameters. */
  types: readonly string[]
  /** What the file holds, for the reference. */
  description?: string
}

export interface FileAnswer {
  /** Pieces are made while they are sent: if one cannot be made, the answer is cut off. */
  bytes: Buffer | string | AsyncIterable<Buffer>
  /** One of the declared types. A text is UTF-8. */
  type: string
  /** Further headers. The kit sets type, length and caching itself. */
  headers?: Record<string, string>
  /** The name under which a browser saves the file, of any characters. Without it, a browser shows the file. */
  name?: string
}

/** Headers of every file: the kit's own, whatever a handler gave. */
const ownHeaders = new Set([
  'content-type',
  'content-length',
  'content-encoding',
  'transfer-encoding',
  'cache-control',
  'connection',
])

export const isText = (type: string): boolean => /^text\/|^application\/json$|^image\/svg\+xml$/.test(type)

/** Returns what the reply has beside its status. A type that was not declared is a mistake of the handler: the reference would be wrong. */
export function replyOfFile({ types }: AnswerFile, file: FileAnswer) {
  const { bytes, name } = file
  const type = file.type.replace(/;.*$/s, '').trim().toLowerCase()
  if (!types.includes(type)) throw new Error(`the file has the type ${file.type}, which the operation does not declare`)
  const given = Object.entries(file.headers ?? {}).map(([key, value]) => [key.toLowerCase(), value] as const)
  const headers: Record<string, string> = {
    ...Object.fromEntries(given.filter(([key]) => !ownHeaders.has(key))),
    ...(name !== undefined && { 'content-disposition': contentDisposition('attachment', name) }),
  }
  return { body: null, headers, file: { bytes, type: isText(type) ? `${type}; charset=utf-8` : type } }
}
