// Uploads in parts: begun, sent, made one object, or ended without one.
import { hash } from 'node:crypto'
import { NoSuchObject, StoreAway, StoreRefused, type HashedBytes, type ObjectStore } from '../objectStore.ts'
import { inAttempts, pathOf, send, sizeOf, unlessGone, type Bucket } from './attempts.ts'
import { ask, failureOf, type Asked } from './request.ts'

type Parts = Pick<ObjectStore, 'beginParts' | 'putPart' | 'finishParts' | 'abortParts'>

export const partsIn = (at: Bucket): Parts => ({
  async beginParts(key) {
    let attempts = 0
    const { text } = await inAttempts(at, () => {
      attempts += 1
      return ask(at.server, { method: 'POST', bucket: at.bucket, key: pathOf(at, key), query: { uploads: '' } })
    })
    const [uploadId] = uploadIdsIn(text)
    if (uploadId === undefined) throw new StoreRefused('the object store began an upload in parts and gave it no id')
    // an attempt whose answer was lost may have begun another one, of which nobody would ever know
    if (attempts > 1)
      await abort(
        at,
        key,
        (await unfinished(at, key)).filter((id) => id !== uploadId),
      )
    return uploadId
  },

  async putPart(key, uploadId, number, body) {
    const query = { partNumber: String(number), uploadId }
    const { etag } = (await send(at, { method: 'PUT', key, query, body })).headers
    if (!etag) throw new StoreRefused('the object store took a part and gave it no ETag')
    return etag
  },

  async finishParts(key, uploadId, parts, sizeBytes) {
    const asked: Asked = {
      method: 'POST',
      bucket: at.bucket,
      key: pathOf(at, key),
      query: { uploadId },
      body: listOf(parts),
    }
    try {
      await inAttempts(at, async () => {
        const { text } = await ask(at.server, asked)
        // S3 may say 200 before it knows, and name the failure in the body
        if (/<Error>/.test(text)) throw failureOf(asked, 500, text)
      })
    } catch (error) {
      // an earlier attempt whose answer was lost has finished it: then the object is there
      if (!(error instanceof NoSuchObject)) throw error
    }
    const found = await sizeOf(at, key)
    if (found !== sizeBytes) {
      throw new StoreRefused(`the object store made an object of ${found ?? 0} bytes out of ${sizeBytes}`)
    }
  },

  async abortParts(key, uploadId) {
    await abort(at, key, uploadId === null ? await unfinished(at, key) : [uploadId])
  },
})

async function abort(at: Bucket, key: string, uploadIds: string[]): Promise<void> {
  for (const uploadId of uploadIds) await send(at, { method: 'DELETE', key, query: { uploadId } }).catch(unlessGone)
}

/** A lost answer, or a death between the beginning of an upload and the note of its id, leaves one without parts. Not every store lists them. */
async function unfinished(at: Bucket, key: string): Promise<string[]> {
  try {
    const { text } = await send(at, { method: 'GET', query: { uploads: '', prefix: pathOf(at, key) } })
    return uploadIdsIn(text)
  } catch (error) {
    if (error instanceof StoreRefused || (error instanceof StoreAway && /\b501\b/.test(error.message))) return []
    throw error
  }
}

function listOf(parts: string[]): HashedBytes {
  const items = parts.map((etag, n) => `<Part><PartNumber>${n + 1}</PartNumber><ETag>${xmlText(etag)}</ETag></Part>`)
  const bytes = Buffer.from(`<CompleteMultipartUpload>${items.join('')}</CompleteMultipartUpload>`)
  return { bytes, sha256: hash('sha256', bytes, 'hex') }
}

const uploadIdsIn = (xml: string): string[] =>
  [...xml.matchAll(/<UploadId>([^<]+)<\/UploadId>/g)].map(([, id]) => plainText(id!))

const xmlText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
const plainText = (xml: string): string =>
  xml.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&')
