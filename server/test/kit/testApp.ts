// The service inside a test: a database of its own, every feature mounted, answers checked against their schemas.
import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import type { FastifyInstance, InjectOptions, LightMyRequestResponse as Response } from 'fastify'
import { buildApp } from '../../src/app.ts'
import { readConfig, type Config } from '../../src/base/config.ts'
import { openDatabase, type Address, type DatabaseAddress, type Pooler } from '../../src/base/db.ts'
import { newId } from '../../src/base/ids.ts'
import { createLog } from '../../src/base/log.ts'
import { createKeyring } from '../../src/base/secrets.ts'
import { features as allFeatures } from '../../src/features.ts'
import type { Context } from '../../src/kit/context.ts'
import { createContext } from '../../src/kit/createContext.ts'
import { type Feature, type Work } from '../../src/kit/feature.ts'
import { drain } from '../../src/kit/worker.ts'
import { operationOf, requireFit } from './answers.ts'
import { testClock, type TestClock } from './clock.ts'
import { testDatabase } from './postgres.ts'
import { registryOf, closeFeatures } from '../../src/kit/registry.ts'

export interface CallOptions {
  /** The bearer token. */
  key?: string
  body?: unknown
  idempotencyKey?: string
  headers?: Record<string, string>
}

export interface Answer {
  status: number
  // answers are read the way a client reads them; each was checked against its declared schema before
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any
  text: string
  /** The same as it came, for files that are not text; empty for a stream of events. */
  bytes: Buffer
  headers: Record<string, string>
}

export type Call = (route: string, options?: CallOptions) => Promise<Answer>

export interface TestApp {
  context: Context
  app: FastifyInstance
  clock: TestClock
  call: Call
  /** Log lines written so far. */
  logged: string[]
  drain: () => Promise<void>
  /** Keeps going what this feature does in a working process, until the app is closed. */
  work: (featureName: string) => void
  /** Also listens on a real socket. */
  listen: () => Promise<string>
  close: () => Promise<void>
}

interface TestOptions {
  config?: Partial<Config>
  /** Added to the real ones. */
  features?: Feature[]
  /** Asked again for each connection, if it is a function. */
  address?: Address | (() => DatabaseAddress)
  pooler?: Pooler
}

export const testKeyring = createKeyring(Buffer.alloc(32, 7))

export async function testApp(options: TestOptions = {}): Promise<TestApp> {
  const given = options.address ?? (await testDatabase())
  const logged: string[] = []
  const log = createLog('debug', { write: (line) => logged.push(line) })
  // On a very busy machine the server that all tests share is late, but not away. Nor does it go away, so some 40 apps need not ask all
  // the time. Each connection plans every statement anew, so an app has few of them.
  const shared = options.address ? {} : { pingEveryMs: 10_000 }
  const db = openDatabase({
    address: typeof given === 'function' ? given : () => given,
    log,
    pingTimeoutMs: 20_000,
    // whoever holds a lock may stand still: a statement waits for it longer than the 2 s of a service
    lockTimeoutMs: 20_000,
    connectWithinMs: 60_000,
    connectionsMax: 8,
    pooler: options.pooler,
    ...shared,
  })
  const clock = testClock()
  const settings = { RUNYARD_RATE_LIMIT: '0', RUNYARD_DATA_DIR: join(tmpdir(), 'runyard-test-data') }
  // whether the console was built in this checkout makes no difference to a test that does not ask for it
  const config = { ...readConfig(settings), consoleDir: join(tmpdir(), 'runyard-no-console'), ...options.config }
  const features = [...allFeatures, ...(options.features ?? [])]
  const context = createContext({ config, log, db, keyring: testKeyring, features, clock })
  const app = buildApp(context)
  await app.ready()
  let closed: Promise<void> | undefined
  const works: Work[] = []
  const close = () =>
    (closed ??= (async () => {
      await app.close()
      await Promise.all(works.map((work) => work.stop()))
      await closeFeatures(context)
      await context.outbound.close()
      await context.listener.close()
      await db.close()
    })())
  after(close)
  return {
    context,
    app,
    clock,
    logged,
    call: (route, callOptions) => call(context, app, route, callOptions ?? {}),
    drain: () => drain(context),
    work(featureName) {
      const { work } = registryOf(context).features.find(({ name }) => name === featureName)!
      works.push(work!(context, { id: newId(), lost: () => new AbortController().signal }))
    },
    async listen() {
      await app.listen({ host: '127.0.0.1', port: 0 })
      const { port } = app.server.address() as { port: number }
      return (context.lifecycle.listeningOn = `http://127.0.0.1:${port}`)
    },
    close,
  }
}

async function call(context: Context, app: FastifyInstance, route: string, options: CallOptions): Promise<Answer> {
  const [method, url] = route.split(' ') as ['GET', string]
  const { key, body, idempotencyKey } = options
  const request: InjectOptions = {
    method,
    url,
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...options.headers,
    },
  }
  if (body !== undefined)
    request.payload = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
  const isStream = operationOf(registryOf(context), method, url)?.stream !== undefined
  const response = await app.inject({ ...request, payloadAsStream: isStream })
  const bytes = isStream ? Buffer.from(await textOrBeginning(response)) : response.rawPayload
  const text = bytes.toString()
  const headers = response.headers as Record<string, string>
  assert.ok(headers['x-request-id'], 'every answer carries X-Request-Id')
  const type = headers['content-type']
  const isJson = type?.startsWith('application/json')
  const parsed: unknown = isJson ? JSON.parse(text) : undefined
  requireFit(registryOf(context), { method, url, status: response.statusCode, type, body: parsed })
  return { status: response.statusCode, body: parsed, text, bytes, headers }
}

/** A stream of events has no end to wait for: it is left at once. What is refused has one. */
export async function textOrBeginning(response: Response): Promise<string> {
  if (response.headers['content-type']?.startsWith('text/event-stream')) {
    response.raw.res.destroy()
    return ''
  }
  const chunks: Buffer[] = []
  for await (const chunk of response.stream()) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
