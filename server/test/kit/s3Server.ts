// An S3 server of a test: s3rver, which checks signatures, and before it what s3rver lacks: hashes of bodies, and the end of unfinished uploads.
import { hash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import S3rver from '@20minutes/s3rver'
import { openStores, type Stores, type StoreSettings } from '../../src/drivers/blobs/stores.ts'

const bucket = 'runyard-test'
/** The key that the server knows. */
const key = 'S3RVER'

export interface TestS3 {
  endpoint: string
  /** Settings by which the service uses it. */
  settings: StoreSettings
  stores(changes?: Partial<StoreSettings>): Stores
  /** The keys of all objects, and uploads in parts that were not finished. */
  objects(): Promise<string[]>
  uploads(): Promise<string[]>
  /** What becomes of a request instead of the server's answer; undefined: the server answers. */
  answerWith: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined
  /** Method and path of every request. */
  asked: string[]
}

export async function s3Server(): Promise<TestS3> {
  const directory = await mkdtemp(join(tmpdir(), 'runyard-s3-'))
  const behind = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: bucket, configs: [] }],
  })
  const { port } = await behind.run()
  const uploadsIn = join(directory, bucket, '._S3rver_uploads')
  await mkdir(uploadsIn, { recursive: true })
  const test: Pick<TestS3, 'answerWith' | 'asked'> = { answerWith: undefined, asked: [] }
  const front = await listen(
    createServer((incoming, response) => {
      test.asked.push(`${incoming.method} ${incoming.url}`)
      if (test.answerWith?.(incoming, response)) return
      void answerMissing(incoming, response, uploadsIn)
        .then((isAnswered) => (isAnswered ? undefined : pass(incoming, response, port)))
        // the client left in the middle of its body
        .catch(() => response.destroy())
    }),
  )
  after(async () => {
    front.closeAllConnections()
    front.close()
    await behind.close()
    await rm(directory, { recursive: true, force: true })
  })
  const endpoint = `http://127.0.0.1:${(front.address() as AddressInfo).port}`
  const settings: StoreSettings = {
    blobs: `s3://${bucket}/files`,
    blobsFromBytes: 256 * 1024,
    s3Endpoint: endpoint,
    s3PublicEndpoint: undefined,
    s3Region: 'us-east-1',
    s3AccessKeyId: key,
    s3SecretAccessKey: key,
    s3Downloads: 'through_service',
  }
  return Object.assign(test, {
    endpoint,
    settings,
    stores: (changes: Partial<StoreSettings> = {}) => openStores({ ...settings, ...changes }, { pausesMs: [1, 1, 1] }),
    async objects() {
      const files = await readdir(join(directory, bucket), { recursive: true })
      return files.flatMap((file) => /^(files\/[0-9a-f-]{36})\._S3rver_object$/.exec(file)?.[1] ?? [])
    },
    uploads: () => readdir(uploadsIn),
  })
}

async function listen(server: Server): Promise<Server> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { 'content-type': 'application/xml' }).end(`<Error><Code>${code}</Code></Error>`)
}

/** The answers that s3rver does not have; false: it has this one. */
async function answerMissing(incoming: IncomingMessage, response: ServerResponse, folder: string): Promise<boolean> {
  const { searchParams: query } = new URL(incoming.url!, 'http://s3')
  const uploadId = query.get('uploadId')
  if (incoming.method === 'DELETE' && uploadId !== null) {
    if (!(await readdir(folder)).includes(uploadId)) refuse(response, 404, 'NoSuchUpload')
    else {
      await rm(join(folder, uploadId), { recursive: true })
      response.writeHead(204).end()
    }
    return true
  }
  if (incoming.method !== 'GET' || !query.has('uploads')) return false
  const ids = await readdir(folder)
  const keys = await Promise.all(ids.map((id) => readFile(join(folder, id, 'key'), 'utf8')))
  const found = ids.filter((_, index) => keys[index]!.startsWith(query.get('prefix') ?? ''))
  const items = found.map((id) => `<Upload><UploadId>${id}</UploadId></Upload>`)
  response.end(`<ListMultipartUploadsResult>${items.join('')}</ListMultipartUploadsResult>`)
  return true
}

/** Sends the request on as it came, with its Host, which is signed. A body that is not the signed one is refused, as S3 does. */
async function pass(incoming: IncomingMessage, response: ServerResponse, port: number): Promise<void> {
  const { method, url, headers } = incoming
  const pieces: Buffer[] = []
  for await (const piece of incoming as AsyncIterable<Buffer>) pieces.push(piece)
  const body = Buffer.concat(pieces)
  const signed = headers['x-amz-content-sha256']
  if (signed !== undefined && signed !== hash('sha256', body, 'hex')) {
    return refuse(response, 400, 'XAmzContentSHA256Mismatch')
  }
  const sent = request({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  sent.on('error', () => response.destroy())
  response.on('close', () => sent.destroy())
  sent.end(body)
}
