// Proof: a file of a gigabyte goes through a process and comes back without staying in its memory.
import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { get, request as httpRequest, type IncomingMessage } from 'node:http'
import { send, startService, type HttpAnswer, type Service } from './processes.ts'
import type { Proof } from './proof.ts'
import { bodyOf } from './yard.ts'

const mebibyte = 1024 * 1024

export interface Uploaded {
  mebibytes: number
  /** The most that the process had at any moment above what it had before. */
  uploadGrewMb: number
  downloadGrewMb: number
  isWhole: boolean
  /** The same address once more. */
  again: number
}

const rssMb = ({ pid }: Service): number =>
  Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024

/** Looks at the memory of a process while something goes through it. */
function watchMemory(service: Service): { grewMb: () => number; look: () => void } {
  const before = rssMb(service)
  let most = before
  return {
    look: () => (most = Math.max(most, rssMb(service))),
    grewMb: () => Math.round(most - before),
  }
}

const lookEveryMb = 16

async function sendFile(
  url: string,
  mebibytes: number,
  look: () => void,
): Promise<{ answer: HttpAnswer; sha256: string }> {
  const digest = createHash('sha256')
  const piece = randomBytes(mebibyte)
  const request = httpRequest(url, { method: 'PUT', headers: { 'content-length': mebibytes * mebibyte } })
  const answered = once(request, 'response') as Promise<[IncomingMessage]>
  for (let n = 0; n < mebibytes; n++) {
    // every piece is another one
    piece.writeUInt32BE(n)
    digest.update(piece)
    if (!request.write(Buffer.from(piece))) await once(request, 'drain')
    if (n % lookEveryMb === 0) look()
  }
  request.end()
  const [response] = await answered
  look()
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  return { answer: { status: response.statusCode!, headers: {}, text }, sha256: digest.digest('hex') }
}

async function hashOf(url: string, look: () => void): Promise<string> {
  const [response] = (await once(get(url), 'response')) as [IncomingMessage]
  const digest = createHash('sha256')
  let bytes = 0
  for await (const chunk of response) {
    digest.update(chunk as Buffer)
    const before = bytes
    bytes += (chunk as Buffer).length
    if (Math.floor(before / mebibyte / lookEveryMb) !== Math.floor(bytes / mebibyte / lookEveryMb)) look()
  }
  return digest.digest('hex')
}

export async function uploadThrough(service: Service, mebibytes: number): Promise<Uploaded> {
  const call = async (method: string, path: string, body?: object) =>
    bodyOf(await send(service.baseUrl, { method, path, key: service.key, ...(body && { body }) }))
  const { sandbox_id } = await call('POST', '/v2/sandboxes')
  const path = 'large.bin'
  const { upload_url } = await call('POST', `/v2/sandboxes/${String(sandbox_id)}/upload-urls`, { path })
  const uploading = watchMemory(service)
  const { answer, sha256 } = await sendFile(upload_url as string, mebibytes, uploading.look)
  const stored = bodyOf(answer)
  const file = await call('GET', `/v2/sandboxes/${String(sandbox_id)}/files/content?path=${path}`)
  const downloading = watchMemory(service)
  const read = await hashOf(file['download_url'] as string, downloading.look)
  const again = await fetch(upload_url as string, { method: 'PUT', body: 'again' })
  await call('DELETE', `/v2/sandboxes/${String(sandbox_id)}`)
  return {
    mebibytes,
    uploadGrewMb: uploading.grewMb(),
    downloadGrewMb: downloading.grewMb(),
    isWhole: stored['sha256'] === sha256 && read === sha256 && stored['size_bytes'] === mebibytes * mebibyte,
    again: again.status,
  }
}

export const isSlim = ({ uploadGrewMb, downloadGrewMb, isWhole, again }: Uploaded): boolean =>
  uploadGrewMb < 100 && downloadGrewMb < 100 && isWhole && again === 409

export const uploadProof: Proof = {
  name: '1 GiB up by a signed address and down again',
  must: 'the same bytes, the process grows by less than 100 MB, and the address is spent',
  async run(dataDir) {
    const env = { LOG_LEVEL: 'error', RUNYARD_RATE_LIMIT: '0' }
    const service = await startService({ dataDir, env, args: ['--role', 'api'] })
    try {
      const counts = await uploadThrough(service, 1024)
      return { counts, holds: isSlim(counts) }
    } finally {
      await service.stop('SIGINT')
    }
  },
}
