// Objects in an S3-compatible store: written, read where they broke off, deleted, and linked to.
import { setTimeout as sleep } from 'node:timers/promises'
import { StoreAway, StoreRefused, type ObjectStore } from '../objectStore.ts'
import { pathOf, send, sizeOf, unlessGone, type Bucket } from './attempts.ts'
import { partsIn } from './parts.ts'
import { addressOf, awayFrom, open } from './request.ts'
import { signedUrl } from './sign.ts'

interface S3Place extends Omit<Bucket, 'pausesMs'> {
  /** Where those who get a link reach the store; undefined: where we do. */
  publicEndpoint?: string | undefined
  pausesMs?: number[]
}

/** Whoever asked a store that is away for longer than these gets an error. */
const usualPausesMs = [100, 500, 2000]

export function s3Store({ publicEndpoint, ...place }: S3Place): ObjectStore {
  const at: Bucket = { pausesMs: usualPausesMs, ...place }
  const { server, bucket, prefix, pausesMs } = at
  return {
    name: nameOfStore(bucket, prefix),
    size: (key) => sizeOf(at, key),
    ...partsIn(at),

    async put(key, body) {
      await send(at, { method: 'PUT', key, body })
    },

    async *read(key, { from, to }, { patienceMs = 0 } = {}) {
      let next = from
      let failures = 0
      let quietSince = Date.now()
      while (next < to) {
        try {
          for await (const piece of piecesOf(at, { key, from: next, to })) {
            next += piece.length
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
      await send(at, { method: 'DELETE', key }).catch(unlessGone)
    },

    link(key, { contentType, disposition, validS }) {
      const query = { 'response-content-type': contentType, 'response-content-disposition': disposition }
      const url = addressOf(publicEndpoint ?? server.endpoint, { bucket, key: pathOf(at, key), query })
      return signedUrl(url, server.credentials, { now: new Date(), validS })
    },
  }
}

const nameOfStore = (bucket: string, prefix: string): string => `s3://${bucket}${prefix === '' ? '' : `/${prefix}`}`

/** Bucket and prefix of `s3://bucket/prefix`. */
export function placeOfStore(name: string): { bucket: string; prefix: string } {
  const [bucket = '', ...rest] = name.replace(/^s3:\/\//, '').split('/')
  return { bucket, prefix: rest.join('/') }
}

interface Wanted {
  key: string
  from: number
  to: number
}

/** One answer of the store, as far as it comes. */
async function* piecesOf(at: Bucket, { key, from, to }: Wanted): AsyncGenerator<Buffer> {
  const { server, bucket } = at
  const headers = { range: `bytes=${from}-${to - 1}` }
  const answer = await open(server, { method: 'GET', bucket, key: pathOf(at, key), headers })
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
