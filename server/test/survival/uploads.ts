// Proof: a file of a gigabyte goes through a process and comes back without staying in its memory.
import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { get, request as httpRequest, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
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

const caller = (service: Service) => async (method: string, path: string, body?: object) =>
  bodyOf(await send(service.baseUrl, { method, path, key: service.key, ...(body && { body }) }))

export async function uploadThrough(service: Service, mebibytes: number): Promise<Uploaded> {
  const call = caller(service)
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

/** On the way out more lies around until it is collected: the database gives bytes as hex text, twice their size. */
const mostMb = { upload: 100, download: 150 }

export const isSlim = ({ uploadGrewMb, downloadGrewMb, isWhole, again }: Uploaded): boolean =>
  uploadGrewMb < mostMb.upload && downloadGrewMb < mostMb.download && isWhole && again === 409

interface Killed {
  filesAfterKill: number
  /** From the kill until the same address takes the file at another process. */
  freeAfterS: number
  status: number
}

/** Kills the process in the middle of an upload, and sends the file to the other one until it is taken. */
async function killMidUpload(victim: Service, survivor: Service): Promise<Killed> {
  const call = caller(survivor)
  const { sandbox_id } = await call('POST', '/v2/sandboxes')
  const { upload_url } = await call('POST', `/v2/sandboxes/${String(sandbox_id)}/upload-urls`, { path: 'a.bin' })
  const at = ({ baseUrl }: Service) =>
    baseUrl + (upload_url as string).slice(new URL(upload_url as string).origin.length)
  const request = httpRequest(at(victim), { method: 'PUT', headers: { 'content-length': 64 * mebibyte } })
  // the end of the connection is what is wanted here
  request.on('error', () => undefined)
  const broken = new Promise((resolve) => request.once('close', resolve))
  for (let n = 0; n < 32; n++) {
    if (!request.write(Buffer.alloc(mebibyte))) await once(request, 'drain')
  }
  const killedAt = performance.now()
  await Promise.all([victim.stop('SIGKILL'), broken])
  const { files } = await call('GET', `/v2/sandboxes/${String(sandbox_id)}/files`)
  for (;;) {
    const { status } = await fetch(at(survivor), { method: 'PUT', body: 'whole' })
    const freeAfterS = Math.round((performance.now() - killedAt) / 1000)
    if (status !== 409 || freeAfterS > 60) return { filesAfterKill: (files as object[]).length, freeAfterS, status }
    await sleep(500)
  }
}

export const uploadProof: Proof = {
  name: '1 GiB up by a signed address and down again; kill -9 in the middle of another upload',
  must: `the same bytes; the process grows by less than ${mostMb.upload} MB on the way in and ${mostMb.download} on the way out; the address is spent. Killed: no file, and the address is free within 32 s`,
  async run(dataDir) {
    const env = { LOG_LEVEL: 'error', RUNYARD_RATE_LIMIT: '0' }
    const start = () => startService({ dataDir, env, args: ['--role', 'api'] })
    const services = [await start(), await start()] as const
    try {
      const uploaded = await uploadThrough(services[0], 1024)
      const killed = await killMidUpload(services[1], services[0])
      const isFree = killed.filesAfterKill === 0 && killed.freeAfterS <= 32 && killed.status === 201
      return { counts: { ...uploaded, ...killed }, holds: isSlim(uploaded) && isFree }
    } finally {
      for (const service of services) await service.stop('SIGINT')
    }
  },
}
