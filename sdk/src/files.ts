// Files that come and go: answers that are files, and transfers by signed URLs with progress.
import { ConnectionError, errorOf, RunyardError } from './errors.ts'

/** A file that the server answered with. */
export interface FileAnswer {
  blob: Blob
  type: string
  /** What the server calls it, where it does. */
  name: string | undefined
}

export async function fileAnswerOf(response: Response): Promise<FileAnswer> {
  const type = response.headers.get('content-type') ?? 'application/octet-stream'
  const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1]
  return { blob: await response.blob(), type, name }
}

/** Bytes to send. A text is the path of a file (Node, Bun and Deno). */
export type UploadSource = Blob | Uint8Array | ReadableStream<Uint8Array> | string

export interface Progress {
  bytes: number
  /** Undefined while nobody knows it. */
  total: number | undefined
}

export interface TransferOptions {
  onProgress?: (progress: Progress) => void
  signal?: AbortSignal
  fetch?: typeof fetch
}

/** The signed URL is the credential: nothing else is sent with it. */
export async function putFile(url: string, source: UploadSource, options: TransferOptions = {}): Promise<void> {
  const { stream, total } = await openSource(source)
  const { onProgress, signal } = options
  const isWhole = source instanceof Blob || source instanceof Uint8Array
  // a browser cannot send a stream over HTTP/1.1
  const body = isWhole && (!onProgress || isBrowser()) ? source : counted(stream, total, onProgress)
  const response = await transfer(url, options.fetch, {
    method: 'PUT',
    body: body as NonNullable<RequestInit['body']>,
    ...(body instanceof ReadableStream && { duplex: 'half' }),
    ...(signal && { signal }),
  })
  await response.arrayBuffer()
  if (body === source && total !== undefined) onProgress?.({ bytes: total, total })
}

/** The bytes as they arrive. */
export async function getFile(url: string, options: TransferOptions = {}): Promise<ReadableStream<Uint8Array>> {
  const { onProgress, signal } = options
  const response = await transfer(url, options.fetch, signal ? { signal } : {})
  const length = response.headers.get('content-length')
  const body = response.body ?? new Blob([]).stream()
  return counted(body, length === null ? undefined : Number(length), onProgress)
}

/** Writes a stream to a file of this machine: beside it first, so that a broken transfer leaves no half file under the name. */
export async function writeToPath(stream: ReadableStream<Uint8Array>, path: string): Promise<void> {
  const fs = await nodeFiles()
  const partial = `${path}.partial`
  const file = await fs.open(partial, 'w')
  try {
    const reader = stream.getReader()
    for (let next = await reader.read(); !next.done; next = await reader.read()) await file.write(next.value)
  } catch (error) {
    await file.close()
    await fs.rm(partial, { force: true })
    throw error
  }
  await file.close()
  await fs.rename(partial, path)
}

async function transfer(url: string, send: typeof fetch = fetch, init: RequestInit): Promise<Response> {
  let response: Response
  try {
    response = await send(url, init)
  } catch (error) {
    if (init.signal?.aborted) throw init.signal.reason
    throw new ConnectionError('The transfer was cut off. Start it again.', { cause: error })
  }
  if (!response.ok) throw errorOf(response, await response.text())
  return response
}

interface OpenSource {
  stream: ReadableStream<Uint8Array>
  total: number | undefined
}

async function openSource(source: UploadSource): Promise<OpenSource> {
  if (typeof source === 'string') return openPath(source)
  if (source instanceof Blob) return { stream: source.stream(), total: source.size }
  if (source instanceof ReadableStream) return { stream: source, total: undefined }
  return { stream: new Blob([source as Uint8Array<ArrayBuffer>]).stream(), total: source.byteLength }
}

const pieceBytes = 256 * 1024

async function openPath(path: string): Promise<OpenSource> {
  const file = await (await nodeFiles()).open(path, 'r')
  const { size } = await file.stat()
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { bytesRead, buffer } = await file.read(new Uint8Array(pieceBytes), 0, pieceBytes)
      if (bytesRead > 0) return controller.enqueue(buffer.subarray(0, bytesRead))
      await file.close()
      controller.close()
    },
    cancel: () => file.close(),
  })
  return { stream, total: size }
}

function counted(
  stream: ReadableStream<Uint8Array>,
  total: number | undefined,
  onProgress: TransferOptions['onProgress'],
): ReadableStream<Uint8Array> {
  if (!onProgress) return stream
  let bytes = 0
  return stream.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        bytes += piece.byteLength
        onProgress({ bytes, total })
        controller.enqueue(piece)
      },
    }),
  )
}

const isBrowser = (): boolean => (globalThis as { window?: unknown }).window !== undefined

/** What of `node:fs/promises` is used here: the SDK needs no types of Node. */
interface NodeFiles {
  open(path: string, mode: string): Promise<NodeFile>
  rename(from: string, to: string): Promise<void>
  rm(path: string, options: { force: boolean }): Promise<void>
}

interface NodeFile {
  stat(): Promise<{ size: number }>
  read(into: Uint8Array, at: number, length: number): Promise<{ bytesRead: number; buffer: Uint8Array }>
  write(bytes: Uint8Array): Promise<unknown>
  close(): Promise<void>
}

async function nodeFiles(): Promise<NodeFiles> {
  if (isBrowser()) throw new RunyardError('A browser has no paths. Give a Blob instead.')
  // not a literal, so that bundlers for browsers do not look for it
  const name = 'node:fs/promises'
  return (await import(name)) as NodeFiles
}
