// Objects in an S3-compatible store. What fails in passing is tried again, a few times and within bounds.
import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { NoSuchObject, StoreAway, StoreRefused, type HashedBytes, type ObjectStore } from '../objectStore.ts'
import { addressOf, ask, awayFrom, failureOf, open, type Asked, type S3Server } from './request.ts'
import { signedUrl } from './sign.ts'

export interface S3Place {
  server: S3Server
  bucket: string
  /** Without slashes at its ends; may be empty. */
  prefix: string
  /** Where those who get a link reach the store; undefined: where we do. */
  publicEndpoint?: string | undefined
  pausesMs?: number[]
}

/** Pauses before the second, third and fourth attempt. Whoever asked a store that is away for longer gets an error. */
const usualPausesMs = [100, 500, 2000]

export function s3Store(place: S3Place): ObjectStore {
  const { server, bucket, prefix, publicEndpoint, pausesMs = usualPausesMs } = place
  const path = (key: string): string => (prefix === '' ? key : `${prefix}/${key}`)
  const send = (asked: Omit<Asked, 'bucket'>) => inAttempts(pausesMs, () => ask(server, { bucket, ...asked }))
  const size = async (key: string): Promise<number | undefined> => {
    try {
      return Number((await send({ method: 'HEAD', key: path(key) })).headers['content-length'])
    } catch (error) {
      if (error instanceof NoSuchObject) return undefined
      throw error
    }
  }
  const abort = async (key: string, uploadId: string): Promise<void> => {
    await send({ method: 'DELETE', key: path(key), query: { uploadId } }).catch(unlessGone)
  }
  return {
    name: nameOfStore(bucket, prefix),
    size,

    async put(key, body) {
      await send({ method: 'PUT', key: path(key), body })
    },

    async beginParts(key) {
      const { text } = await send({ method: 'POST', key: path(key), query: { uploads: '' } })
      const [, uploadId] = /<UploadId>([^<]+)<\/UploadId>/.exec(text) ?? []
      if (uploadId === undefined) throw new StoreRefused('the object store began an upload in parts and gave it no id')
      return plainText(uploadId)
    },

    async putPart(key, uploadId, number, body) {
      const query = { partNumber: String(number), uploadId }
      const { etag } = (await send({ method: 'PUT', key: path(key), query, body })).headers
      if (!etag) throw new StoreRefused('the object store took a part and gave it no ETag')
      return etag
    },

    async finishParts(key, uploadId, parts, sizeBytes) {
      const asked: Omit<Asked, 'bucket'> = { method: 'POST', key: path(key), query: { uploadId }, body: listOf(parts) }
      try {
        await inAttempts(pausesMs, async () => {
          const { text } = await ask(server, { bucket, ...asked })
          // S3 may say 200 before it knows, and tell the failure in the body
          if (/<Error>/.test(text)) throw failureOf({ bucket, ...asked }, 500, text)
        })
      } catch (error) {
        // an earlier attempt whose answer was lost has finished it: then the object is there
        if (!(error instanceof NoSuchObject)) throw error
      }
      const found = await size(key)
      if (found !== sizeBytes) {
        throw new StoreRefused(`the object store made an object of ${found ?? 0} bytes out of ${sizeBytes}`)
      }
    },

    async abortParts(key, uploadId) {
      if (uploadId !== null) return abort(key, uploadId)
      for (const id of await unfinished(path(key))) await abort(key, id)
    },

    async *read(key, { from, to }, { patienceMs = 0 } = {}) {
      let at = from
      let failures = 0
      let quietSince = Date.now()
      while (at < to) {
        try {
          for await (const piece of piecesOf(server, { bucket, key: path(key), from: at, to })) {
            at += piece.length
            failures = 0
            quietSince = Date.now()
            yield piece
          }
        } catch (error) {
          if (!(error instanceof StoreAway)) throw error
          const pauseMs = pausesMs[Math.min(failures, pausesMs.length - 1)] ?? 0
          if (failures >= pausesMs.length && Date.now() - quietSince + pauseMs > patienceMs) throw error
          failures += 1
          await sleep(pauseMs)
        }
      }
    },

    async remove(key) {
      await send({ method: 'DELETE', key: path(key) }).catch(unlessGone)
    },

    link(key, { contentType, disposition, validS }) {
      const query = { 'response-content-type': contentType, 'response-content-disposition': disposition }
      const url = addressOf(publicEndpoint ?? server.endpoint, { bucket, key: path(key), query })
      return signedUrl(url, server.credentials, { now: new Date(), validS })
    },
  }

  /** A process that died between the beginning of an upload and the note of its id leaves one without parts. Not every store lists them. */
  async function unfinished(key: string): Promise<string[]> {
    try {
      const { text } = await send({ method: 'GET', query: { uploads: '', prefix: key } })
      return [...text.matchAll(/<UploadId>([^<]+)<\/UploadId>/g)].map(([, id]) => plainText(id!))
    } catch (error) {
      if (error instanceof StoreRefused || (error instanceof StoreAway && /\b501\b/.test(error.message))) return []
      throw error
    }
  }
}

const nameOfStore = (bucket: string, prefix: string): string =>
  `s3://${bucket}${prefix === '' ? '' : `/${prefix}`}`

/** Bucket and prefix of `s3://bucket/prefix`. */
export function placeOfStore(name: string): { bucket: string; prefix: string } {
  const [bucket = '', ...rest] = name.replace(/^s3:\/\//, '').split('/')
  return { bucket, prefix: rest.join('/') }
}

/** Nobody is kept waiting for longer than this and one more attempt. */
const attemptsMs = 20_000

async function inAttempts<T>(pausesMs: number[], work: () => Promise<T>): Promise<T> {
  const began = Date.now()
  for (const pauseMs of pausesMs) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof StoreAway) || Date.now() - began > attemptsMs) throw error
      // processes that were cut off together do not come back together
      await sleep(pauseMs * (0.5 + Math.random()))
    }
  }
  return work()
}

function unlessGone(error: unknown): void {
  if (!(error instanceof NoSuchObject)) throw error
}

interface Piece {
  bucket: string
  key: string
  from: number
  to: number
}

/** One answer of the store, as far as it comes. */
async function* piecesOf(server: S3Server, { bucket, key, from, to }: Piece): AsyncGenerator<Buffer> {
  const answer = await open(server, { method: 'GET', bucket, key, headers: { range: `bytes=${from}-${to - 1}` } })
  let got = 0
  try {
    if (answer.statusCode !== 206 && from > 0) throw new StoreRefused('the object store does not give parts of objects')
    for await (const piece of answer as AsyncIterable<Buffer>) {
      const wanted = piece.subarray(0, to - from - got)
      got += wanted.length
      if (wanted.length > 0) yield wanted
      if (wanted.length < piece.length) break
    }
  } catch (error) {
    throw error instanceof StoreRefused ? error : awayFrom(server, error as Error)
  } finally {
    // a reader that leaves early must not keep the connection busy
    if (got < to - from) answer.destroy()
  }
  if (got < to - from) throw awayFrom(server, new Error(`the answer ended after ${got} of ${to - from} bytes`))
}

function listOf(parts: string[]): HashedBytes {
  const items = parts.map((etag, n) => `<Part><PartNumber>${n + 1}</PartNumber><ETag>${xmlText(etag)}</ETag></Part>`)
  const bytes = Buffer.from(`<CompleteMultipartUpload>${items.join('')}</CompleteMultipartUpload>`)
  return { bytes, sha256: hash('sha256', bytes, 'hex') }
}

const xmlText = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
const plainText = (xml: string): string =>
  xml.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&')
