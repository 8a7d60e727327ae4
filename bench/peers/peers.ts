// Runyard beside others that make work durable: three inside and three outside steps, from the HTTP start to completed, in a closed loop.
// All in turn on one machine; DBOS and Mastra on the PostgreSQL that Runyard uses, Restate on its own store.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Shot } from '../connection.ts'
import { costsOf, type Costs } from '../costs.ts'
import { allowLoopback } from '../deliveries.ts'
import { connections, median, type Bed } from '../interleave.ts'
import { processorMs } from '../processorTime.ts'
import { startRunLoop, type RunLoop } from '../runLoop.ts'
import { agentFor, runStreams } from '../scenarios.ts'
import { makeDataDir, startService, type Service } from '../service.ts'
import { untilSettled } from '../settled.ts'
import { asSuperuser } from '../superuser.ts'
import type { Sheet } from '../table.ts'
import { startTinyServer } from '../tinyServer.ts'
import { install } from './install.ts'
import { startProgram, type RunningPeer } from './program.ts'
import { peers as peerList, type Peer } from './versions.ts'

const kinds = ['inside', 'outside'] as const
type Kind = (typeof kinds)[number]

const steps = 3
const rounds = 5
const roundMs = 4000
const quickRoundMs = 2000
const warmUpMs = 1500

interface Round {
  perSecond: number
  runs: number
  costs: Costs
}

interface Contender {
  name: string
  round: (kind: Kind, ms: number) => Promise<Round>
}

export async function peers(bed: Bed): Promise<Sheet> {
  await using dataDir = await makeDataDir()
  await using folder = await temporaryFolder()
  await using outside = await startTinyServer()
  await using loop = await startRunLoop(bed.signal)
  await using running = new AsyncDisposableStack()
  const service = await startService(dataDir, { env: allowLoopback })
  running.defer(() => service.stop())
  const contenders = await runyard(service, loop, outside.url)
  bed.tell(`installing ${peerList.map(titleOf).join(', ')}`)
  const installed = await Promise.allSettled(peerList.map((peer) => install(peer, folder.path, bed.signal)))
  const absent: string[][] = []
  for (const [n, peer] of peerList.entries()) {
    try {
      const found = installed[n]!
      if (found.status === 'rejected') throw found.reason
      const databaseUrl = await newDatabase(service, peer.name.toLowerCase())
      const { connectionsMax } = service
      const facts = { folder: found.value, databaseUrl, connectionsMax, outsideUrl: outside.url }
      contenders.push(await contenderOf(bed, service, peer, running.use(await startProgram(peer.program, facts))))
    } catch (error) {
      bed.signal.throwIfAborted()
      const reason = String(error instanceof Error ? error.message : error).split('\n')[0]!
      bed.tell(`${peer.name} is left out: ${reason}`)
      absent.push([titleOf(peer), `left out: ${reason}`, ...Array<string>(columns.length - 2).fill('')])
    }
  }
  const measured = await inTurn(bed, contenders)
  return {
    title: `three durable steps from the HTTP start to completed, closed loop, ${connections} connections, ${bed.isQuick ? 'one short round' : `medians of ${rounds} rounds`}, in turn`,
    columns,
    lines: [...contenders.map(({ name }) => lineOf(name, measured)), ...absent],
  }
}

type Measured = Map<string, Record<Kind, Round[]>>

async function inTurn(bed: Bed, contenders: Contender[]): Promise<Measured> {
  const measured: Measured = new Map(contenders.map(({ name }) => [name, { inside: [], outside: [] }]))
  const last = bed.isQuick ? 1 : rounds
  for (let n = 0; n <= last; n++) {
    for (const kind of kinds) {
      for (const { name, round } of contenders) {
        const result = await round(kind, n === 0 ? warmUpMs : bed.isQuick ? quickRoundMs : roundMs)
        if (n === 0) continue
        measured.get(name)![kind].push(result)
        bed.tell(`round ${n} of ${last}, ${kind}, ${name}: ${result.perSecond.toFixed(0)} runs/s`)
      }
    }
  }
  return measured
}

const columns = [
  'who',
  'inside steps, runs/s',
  'to Restate',
  'outside steps, runs/s',
  'to Restate',
  'PostgreSQL (Restate: its server) µs a run, inside / outside',
  'Node µs a run, inside / outside',
  'WAL KB a run, inside / outside',
]

function lineOf(name: string, measured: Measured): string[] {
  const middle = (who: string, kind: Kind, of: (round: Round) => number): number | undefined => {
    const found = measured.get(who)?.[kind]
    return found && median(found.map(of))
  }
  const restate = [...measured.keys()].find((who) => who.startsWith('Restate'))
  const speed = (kind: Kind): string[] => {
    const ours = middle(name, kind, ({ perSecond }) => perSecond)!
    const theirs = restate && middle(restate, kind, ({ perSecond }) => perSecond)
    return [ours.toFixed(0), theirs === undefined ? '' : `${(ours / Number(theirs)).toFixed(2)}×`]
  }
  const both = (of: (costs: Costs) => number, digits: number): string =>
    kinds.map((kind) => middle(name, kind, ({ costs, runs }) => of(costs) / runs)!.toFixed(digits)).join(' / ')
  return [
    name,
    ...speed('inside'),
    ...speed('outside'),
    both(({ postgresMs }) => postgresMs * 1000, 0),
    both(({ nodeMs }) => nodeMs * 1000, 0),
    name === restate ? 'none' : both(({ walBytes }) => walBytes / 1024, 1),
  ]
}

/** Once with nobody watching, and once with one stream of the team and ten of runs. */
async function runyard(service: Service, loop: RunLoop, outsideUrl: string): Promise<Contender[]> {
  const agents: Record<Kind, string> = {
    inside: await agentFor(service, { kind: 'inside', steps }, outsideUrl),
    outside: await agentFor(service, { kind: 'outside', steps }, outsideUrl),
  }
  const { host, port, teamId, apiKey, databaseUrl } = service
  const contender = (name: string, watched: { runStreams?: number }): Contender => ({
    name,
    async round(kind, ms) {
      const order = { service: { host, port, teamId, apiKey, databaseUrl }, agentId: agents[kind], connections, ms }
      const { result, costs } = await costsOf(service, async () => {
        const ended = await loop.run({ ...order, ...watched })
        await untilSettled(service)
        return ended
      })
      const { perSecond, runs, lookingMs } = result
      return { perSecond, runs, costs: { ...costs, postgresMs: costs.postgresMs - lookingMs } }
    },
  })
  return [
    contender('Runyard, nobody watching', {}),
    contender(`Runyard, one team stream and ${runStreams} run streams open`, { runStreams }),
  ]
}

async function contenderOf(bed: Bed, service: Service, peer: Peer, program: RunningPeer): Promise<Contender> {
  const round: Contender['round'] = (kind, ms) => roundOfPeer(bed, service, program, kind, ms)
  // one that starts but cannot run is left out too
  for (const kind of kinds) await round(kind, 200)
  return { name: titleOf(peer), round }
}

async function roundOfPeer(bed: Bed, service: Service, peer: RunningPeer, kind: Kind, ms: number): Promise<Round> {
  const shot: Shot = {
    method: 'POST',
    path: peer.paths[kind],
    headers: { 'content-type': 'application/json' },
    body: '"hello"',
    freshKey: false,
    status: 200,
  }
  const storeMs = () => (peer.storePid === undefined ? 0 : (processorMs(peer.storePid) ?? NaN))
  const storeBefore = storeMs()
  const { result, costs } = await costsOf({ ...service, pid: peer.pid }, () =>
    bed.load.run({ host: '127.0.0.1', port: peer.port, shot, connections, ms }),
  )
  if (result.failures > 0) throw new Error(`runs failed: ${result.firstFailure?.replace(/^[^]*?\r\n\r\n/, '')}`)
  const { perSecond, requests } = result
  const store = peer.storePid === undefined ? costs.postgresMs : storeMs() - storeBefore
  return { perSecond, runs: requests, costs: { ...costs, postgresMs: store } }
}

/** On the server that Runyard uses, so that all wait for the same disk. */
async function newDatabase(service: Service, name: string): Promise<string> {
  await asSuperuser(service, (client) => client.query(`create database ${name}`))
  const url = new URL(service.superuserUrl)
  url.pathname = `/${name}`
  return url.href
}

const titleOf = ({ name, packages }: Peer): string => `${name} ${Object.values(packages)[0]}`

async function temporaryFolder(): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'runyard-peers-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}
