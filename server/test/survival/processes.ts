// Real service processes for the survival proofs: started like a user starts them, killed like a machine kills them.
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { request as httpRequest, Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readIfThere } from '../../src/base/atomicFile.ts'
import { freePort } from '../../src/base/postgres/server.ts'
import { startProgram as startChild, type Program, type ProgramOptions } from '../../src/drill/children.ts'
import { copyPreparedDataDir } from '../kit/preparedDataDir.ts'
import { programFile } from '../kit/programFile.ts'
import { patience } from '../kit/quietMachine.ts'

export { percentile } from '../../src/drill/percentile.ts'
export { freePort }
export type { Program }

export const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

export interface Service extends Program {
  baseUrl: string
  dataDir: string
  teamId: string
  /** Empty when there is no copy of it. */
  key: string
}

export interface StartOptions {
  dataDir: string
  env?: Record<string, string>
  args?: string[]
  /** Another entry than main.ts, with further features. */
  entry?: string
  hasOwnSession?: boolean
}

/** Resolves when the process has printed its box: it serves from then on. */
export async function startService({
  dataDir,
  env = {},
  args = [],
  entry = main,
  hasOwnSession = false,
}: StartOptions): Promise<Service> {
  const port = env['PORT'] ?? String(await freePort())
  const program = await startProgram({
    entry,
    args,
    // without the example artifact, whose refresh would be a run that no proof has started
    env: { RUNYARD_DATA_DIR: dataDir, PORT: port, LOG_LEVEL: 'info', RUNYARD_DEMO: '0', ...patience, ...env },
    readySign: '└',
    hasOwnSession,
  })
  const key = env['RUNYARD_API_KEY'] ?? (await readIfThere(join(dataDir, 'first-key')))?.trim() ?? ''
  return {
    ...program,
    baseUrl: `http://127.0.0.1:${port}`,
    dataDir,
    teamId: /Team id +(\S+)/.exec(program.box)?.[1] ?? '',
    key,
  }
}

/** Any program of ours in a process of its own. */
export const startProgram = (options: ProgramOptions): Promise<Program> =>
  startChild({ ...options, entry: programFile(options.entry) })

interface DataDir {
  path: string
  remove: () => Promise<void>
}

/** A data dir whose embedded database can live right inside it, also when the tests run as root. */
export async function temporaryDataDir(): Promise<DataDir> {
  const path = await mkdtemp(join(tmpdir(), 'runyard-survival-'))
  await chmod(path, 0o711)
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}

/** The same with its embedded database made and migrated, for tests in which the first start is not the subject. */
export async function preparedDataDir(): Promise<DataDir> {
  const dataDir = await temporaryDataDir()
  await copyPreparedDataDir(dataDir.path)
  return dataDir
}

export interface HttpAnswer {
  status: number
  headers: Record<string, string>
  text: string
}

// the client drops an idle connection first: the service does after 72 s, and a request that is sent at that moment is lost
const agent = new Agent({ keepAlive: true, maxSockets: 256, timeout: 60_000 })

export interface Request {
  method?: string
  path: string
  key: string
  body?: object
  idempotencyKey?: string
  headers?: Record<string, string>
}

/** One request without any retry; rejects when the connection breaks. */
export function send(
  baseUrl: string,
  { method = 'GET', path, key, body, idempotencyKey, headers: more }: Request,
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const payload = body && JSON.stringify(body)
    const outgoing = httpRequest(
      `${baseUrl}${path}`,
      {
        method,
        agent,
        headers: {
          authorization: `Bearer ${key}`,
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
          ...(payload && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
          ...more,
        },
      },
      (incoming) => {
        const chunks: Buffer[] = []
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
        incoming.on('error', reject)
        incoming.on('end', () => {
          const headers = incoming.headers as Record<string, string>
          resolve({ status: incoming.statusCode!, headers, text: Buffer.concat(chunks).toString() })
        })
      },
    )
    outgoing.on('error', reject)
    outgoing.end(payload)
  })
}
