// A peer in a process of its own: how it is started and ended, and the little that the programs of all peers share.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer, get, type Agent, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

/** What a peer's program is told; comes to it as its first argument. */
export interface PeerFacts {
  /** Where its packages are installed, and where it may put files. */
  folder: string
  /** A database of its own on the PostgreSQL that all share. */
  databaseUrl: string
  /** As many as Runyard's pool has. */
  connectionsMax: number
  outsideUrl: string
}

/** What it tells when it is ready: where whole runs are started, and which of its processes stores them if it is not PostgreSQL. */
export interface PeerReady {
  port: number
  paths: { inside: string; outside: string }
  storePid?: number
}

export interface RunningPeer extends AsyncDisposable, PeerReady {
  pid: number
}

const readyMaxMs = 60_000
const stopMaxMs = 10_000

export async function startProgram(file: string, facts: PeerFacts): Promise<RunningPeer> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), [JSON.stringify(facts)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production', RESTATE_LOGGING: 'ERROR', MASTRA_TELEMETRY_DISABLED: '1' },
  })
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    const late = setTimeout(() => child.kill('SIGKILL'), stopMaxMs)
    if (child.connected) child.disconnect()
    await ended
    clearTimeout(late)
  }
  try {
    const ready = await new Promise<PeerReady>((resolve, reject) => {
      child.once('message', (message) => resolve(message as PeerReady))
      child.once('error', reject)
      child.once('exit', (code) => reject(new Error(`${file} ended before it was ready (exit ${code})`)))
      setTimeout(() => reject(new Error(`${file} was not ready within ${readyMaxMs / 1000} s`)), readyMaxMs).unref()
    })
    return { ...ready, pid: child.pid!, [Symbol.asyncDispose]: stop }
  } catch (error) {
    await stop()
    throw error
  }
}

export const readFactsOfPeer = (): PeerFacts => JSON.parse(process.argv[2]!) as PeerFacts

/** Loads a package from the folder of the peer. */
// what the packages export is described beside its use: their types are not installed here
// oxlint-disable-next-line typescript/no-explicit-any
export const loaderOf = ({ folder }: PeerFacts): ((name: string) => any) =>
  createRequire(join(folder, 'package.json')) as (name: string) => unknown

/** Three of them are an inside run: a small value, the same every time. */
export const compute = (n: number): { note: string } => ({ note: `Last: hello ${n}` })

/** Three of them are an outside run. */
export async function fetchRate({ outsideUrl }: PeerFacts, n: number, agent: Agent): Promise<{ rate: number }> {
  const [response] = await once(get(`${outsideUrl}/rates/${n}`, { agent }), 'response')
  return JSON.parse(await text(response)) as { rate: number }
}

/** The least HTTP server: a request starts a whole run, and the answer comes when the run has completed. */
export async function serveRuns(run: { inside(): Promise<unknown>; outside(): Promise<unknown> }): Promise<PeerReady> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const done = request.url === '/inside' ? run.inside() : run.outside()
      done.then(
        (value) => answer(response, 200, value),
        (error: unknown) => answer(response, 500, String(error)),
      )
    })
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, paths: { inside: '/inside', outside: '/outside' } }
}

function answer(response: ServerResponse, status: number, value: unknown): void {
  const body = JSON.stringify(value)
  const length = Buffer.byteLength(body)
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': length }).end(body)
}

/** The peer's own side: says that it is ready, and ends with the process that started it. */
export function tellReady(ready: PeerReady, close: () => Promise<unknown> = async () => undefined): void {
  process.on('disconnect', () => void close().finally(() => process.exit(0)))
  process.send!(ready)
}
