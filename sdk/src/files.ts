// Answers that are files, and uploads and downloads by signed URLs with progress.
import { isBrowser } from './environment.ts'
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
}

type Fetch = typeof fetch

/** The signed URL is the credential: nothing else is sent with it. */
export async function putFile(
  send: Fetch,
  url: string,
  source: UploadSource,
  { onProgress, signal }: TransferOptions = {},
): Promise<void> {
  const isWhole = source instanceof Blob || source instanceof Uint8Array
  // a browser cannot send a stream over HTTP/1.1
  if (isWhole && (!onProgress || isBrowser())) {
    await transfer(send, url, { method: 'PUT', body: source as NonNullable<RequestInit['body']> }, signal)
    const total = source instanceof Blob ? source.size : source.byteLength
    onProgress?.({ bytes: total, total })
    return
  }
  const { stream, total, close } = await openSource(source)
  try {
    const body = counted(stream, total, onProgress, signal)
    await transfer(send, url, { method: 'PUT', body, duplex: 'half' } as RequestInit, signal)
  } finally {
    await close?.()
  }
}

/** The bytes as they arrive. */
export async function getFile(
  send: Fetch,
  url: string,
  { onProgress, signal }: TransferOptions = {},
): Promise<ReadableStream<Uint8Array>> {
  const response = await transfer(send, url, {}, signal)
  const length = response.headers.get('content-length')
  const body = response.body ?? new Blob([]).stream()
  return counted(body, length === null ? undefined : Number(length), onProgress, signal)
}

/** Writes a stream to a file of this machine: beside it first, so that a broken transfer leaves no half file under the name. */
export async function writeToPath(stream: ReadableStream<Uint8Array>, path: string): Promise<void> {
  const fs = await nodeFiles()
  const partial = `${path}.${Math.random().toString(36).slice(2)}.partial`
  const reader = stream.getReader()
  try {
    const file = await fs.open(partial, 'wx')
    try {
      for (let next = await reader.read(); !next.done; next = await reader.read()) await file.writeFile(next.value)
    } finally {
      await file.close()
    }
    await fs.rename(partial, path)
  } catch (error) {
    await reader.cancel(error).catch(() => undefined) // it may be the stream itself that failed
    await fs.rm(partial, { force: true })
    throw error
  }
}

async function transfer(
  send: Fetch,
  url: string,
  init: RequestInit,
  signal: AbortSignal | undefined,
): Promise<Response> {
  try {
    const response = await send(url, { ...init, ...(signal && { signal }) })
    if (!response.ok) throw errorOf(response, await response.text())
    if (init.method === 'PUT') await response.arrayBuffer()
    return response
  } catch (error) {
    throw cutOff(error, signal)
  }
}

/** What a transfer failed with, as an error of this SDK, or as the reason of the signal that ended it. */
function cutOff(error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return signal.reason
  if (error instanceof RunyardError) return error
  return new ConnectionError('The transfer was cut off. Start it again.', { cause: error })
}

interface OpenSource {
  stream: ReadableStream<Uint8Array>
  total: number | undefined
  close?: () => Promise<void>
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
      controller.close()
    },
  })
  // also when the server took only a part of it
  return { stream, total: size, close: () => file.close() }
}

function counted(
  stream: ReadableStream<Uint8Array>,
  total: number | undefined,
  onProgress: TransferOptions['onProgress'],
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> {
  const reader = stream.getReader()
  let bytes = 0
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (done) return controller.close()
        bytes += value.byteLength
        onProgress?.({ bytes, total })
        controller.enqueue(value)
      } catch (error) {
        throw cutOff(error, signal)
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

/** What of `node:fs/promises` is used here: the SDK needs no types of Node. */
interface NodeFiles {
  open(path: string, mode: string): Promise<NodeFile>
  rename(from: string, to: string): Promise<void>
  rm(path: string, options: { force: boolean }): Promise<void>
}

interface NodeFile {
  stat(): Promise<{ size: number }>
  read(into: Uint8Array, at: number, length: number): Promise<{ bytesRead: number; buffer: Uint8Array }>
  /** Writes all of them after what is there. */
  writeFile(bytes: Uint8Array): Promise<void>
  close(): Promise<void>
}

async function nodeFiles(): Promise<NodeFiles> {
  if (isBrowser()) throw new RunyardError('A browser has no paths. Give a Blob instead.')
  // not a literal, so that bundlers for browsers do not look for it
  const name = 'node:fs/promises'
  return (await import(/* @vite-ignore */ name)) as NodeFiles
}
