// Proof: the primary of a replicated PostgreSQL is replaced again and again under load, by request and by force; it is a pause and nothing more.
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'pg'
import { openDatabase, poolLimits, sqlOn } from '../../src/base/db.ts'
import { databaseHosts } from '../../src/base/databaseHosts.ts'
import { hostUrls } from '../../src/base/hostList.ts'
import { newId } from '../../src/base/ids.ts'
import { createLog } from '../../src/base/log.ts'
import { pooledSettings } from '../../src/base/session.ts'
import { startPgbouncer, type Pgbouncer } from '../kit/pgbouncer.ts'
import { areTrue, compareCalls, isWhole, readLedger, type Calls, type Ledger } from '../../src/drill/ledger.ts'
import { missingForPatroni, startCluster, type Cluster, type Node } from './patroni.ts'
import { honestPerson } from '../../src/drill/person.ts'
import { percentile, send, type HttpAnswer, type Service } from './processes.ts'
import type { Proof } from './proof.ts'
import { block, openYard, untilQuiet, type Yard } from './yard.ts'

interface Replaced extends Ledger, Calls {
  switchOvers: number
  kills: number
  /** Starts that were answered with 201, at last; each was sent with one key until then. */
  acknowledged: number
  startsPerSecond: number
  /** Must be 0: acknowledged and not there. */
  lost: number
  /** Must be 0: runs beyond one for each key. */
  doubled: number
  /** Must be 0: under way for ever. */
  stuck: number
  completed: number
  /** Must be 0: people who were asked whether a call happened, although nobody had died who knew it. */
  asked: number
  /** Must be 0: processes of ours that ended. */
  ended: number
  /** Must be 0: processes of ours that lived and were declared dead. */
  declaredDead: number
  /** From the moment in which a node takes commits until every API has answered a start with 201 that was sent after that moment. */
  answersP50Ms: number
  answersMaxMs: number
  /** How many of the changes took longer than the bound. */
  answersLate: number
  /** The same until a start that is sent at that very moment is answered, behind all others that wait. */
  waitedMaxMs: number
  /** From the request or the kill until a node took commits: Patroni's part. */
  withoutPrimaryMaxMs: number
}

/** Each number can be given: `REPLICATED_ROUNDS=3 npm run survive -- Patroni` takes some three minutes. */
const size = {
  rounds: Number(process.env['REPLICATED_ROUNDS'] ?? 20),
  startsPerSecond: Number(process.env['REPLICATED_STARTS'] ?? 200),
  /** One start of so many makes calls outside; the others only think. */
  callsEvery: Number(process.env['REPLICATED_CALLS_EVERY'] ?? 10),
  pauseMs: Number(process.env['REPLICATED_PAUSE_MS'] ?? 3000),
}

const answersBoundMs = 5000

const outsideCalls = (url: string) =>
  [
    block('http', `GET ${url}/ms/200/look`),
    block('memory path=progress.md', 'looked in {{ run.id }}'),
    block('http', `POST ${url}/ms/200/pay\n\nonce`),
    block('output', 'done'),
  ].join('\n')

const must =
  `${size.rounds} switch-overs and ${size.rounds} kill -9 of the primary under ${size.startsPerSecond} starts a second: 0 acknowledged lost, ` +
  '0 finished calls repeated, nobody asked, no process ended or declared dead, answers <= 5 s after there is a primary'

const proof = (name: string, isPooled: boolean): Proof => ({
  name,
  must,
  missing: missingForPatroni,
  async run(dataDir) {
    const cluster = await startCluster()
    const poolers = isPooled ? await startPoolers(cluster) : []
    try {
      const counts = await replacePrimaries(cluster, dataDir, poolers)
      return { counts, holds: holds(counts) }
    } finally {
      for (const pooler of poolers) await pooler.stop()
      await cluster.stop()
    }
  },
})

export const replicatedProofs: Proof[] = [
  proof('Patroni, three nodes, one synchronous: the primary is replaced under load', false),
  proof('Patroni behind PgBouncer: the primary is replaced under load', true),
]

const holds = (seen: Replaced): boolean =>
  seen.lost + seen.doubled + seen.stuck + seen.asked + seen.ended + seen.declaredDead === 0 &&
  seen.completed === seen.acknowledged &&
  seen.switchOvers === size.rounds &&
  seen.kills === size.rounds &&
  areTrue(seen) &&
  isWhole(seen) &&
  seen.answersLate === 0

/** A PgBouncer beside each node, which leads to that node whatever its role is. */
async function startPoolers(cluster: Cluster): Promise<Pgbouncer[]> {
  const primary = await cluster.untilPrimary()
  for (const [name, value] of Object.entries(pooledSettings(poolLimits(), 15))) {
    await cluster.asSuperuser(primary, `alter role runyard in database runyard set ${name} = '${value}'`)
  }
  return Promise.all(cluster.nodes.map(({ port }) => startPgbouncer({ serverPort: port, users: ['runyard'] })))
}

const urlOver = (poolers: Pgbouncer[]): string =>
  `postgres://runyard:runyard@${poolers.map(({ port }) => `127.0.0.1:${port}`).join(',')}/runyard`

async function replacePrimaries(cluster: Cluster, dataDir: string, poolers: Pgbouncer[]): Promise<Replaced> {
  const log = createLog('silent')
  const hosts = databaseHosts({ urls: hostUrls(cluster.url), env: 'DATABASE_URL', log })
  await hosts.find()
  const db = openDatabase({ address: () => hosts.address(), log, connectionsMax: 4, applicationName: 'proof' })
  const env = {
    DATABASE_URL: cluster.url,
    LOG_LEVEL: 'warn',
    ...(poolers.length > 0 && { DATABASE_POOL_URL: urlOver(poolers) }),
  }
  const opened = await openYard({ options: { dataDir, env }, apis: 2, workers: 2 })
  // its own connections know one host only
  const yard: Yard = { ...opened, sql: db.sql }
  const person = honestPerson(yard)
  try {
    await allowMany(yard)
    const load = await startLoad(yard)
    const times = await replaceAll(cluster, yard, load)
    const seconds = await load.stop()
    const stuck = await untilQuiet(yard)
    const { happened, makeItNow } = await person.leave()
    const checked = await check(cluster, yard, load.acknowledged)
    const processes = [...yard.apis, ...yard.workers]
    return {
      switchOvers: size.rounds,
      kills: size.rounds,
      acknowledged: load.acknowledged.length,
      startsPerSecond: Math.round(load.acknowledged.length / seconds),
      asked: happened + makeItNow,
      stuck,
      ended: processes.filter(({ child }) => child.exitCode !== null || child.signalCode !== null).length,
      declaredDead: processes.filter((one) => one.log().includes('a process died; its work is set free')).length,
      ...checked,
      ...times,
    }
  } finally {
    await db.close()
    await yard.close()
  }
}

/** The load is to be bounded by what is measured, not by the slots of a team. */
async function allowMany({ sql, apis }: Yard): Promise<void> {
  await sql`
    insert into admission (team_id, places) values (${apis[0]!.teamId}, 500) on conflict (team_id) do update set places = excluded.places`
}

interface Answered {
  baseUrl: string
  sentAt: number
  at: number
}

interface Load {
  acknowledged: string[]
  /** When this API first answered a start with 201 that was sent after this moment. */
  firstAnswerAfter(api: Service, moment: number): number
  /** One start that this API has answered well. */
  startAt(api: Service): Promise<void>
  /** Resolves when all that was begun is acknowledged, with the seconds of the load. */
  stop(): Promise<number>
}

/** What waits for its acknowledgement at most: starts beyond that are not begun while there is no primary. */
const openMax = 400
const tickMs = 50

async function startLoad(yard: Yard): Promise<Load> {
  const thinking = await yard.newAgent(block('output', '{{ message }}'))
  const calling = await yard.newAgent(outsideCalls(yard.counter.url))
  const acknowledged: string[] = []
  const open = new Set<Promise<void>>()
  let begun = 0
  const over = new AbortController()
  const startedAt = performance.now()

  const answered: Answered[] = []

  async function start(baseUrl: string): Promise<void> {
    const { teamId, key } = yard.apis[0]!
    const agent_id = ++begun % size.callsEvery === 0 ? calling : thinking
    const request = { method: 'POST', path: `/v2/teams/${teamId}/runs`, body: { agent_id, message: 'go' }, key }
    const idempotencyKey = newId()
    for (;;) {
      const sentAt = performance.now()
      const answer = await sendOnce(baseUrl, { ...request, idempotencyKey })
      if (answer.status === 201) {
        answered.push({ baseUrl, sentAt, at: performance.now() })
        return void acknowledged.push((JSON.parse(answer.text) as { run_id: string }).run_id)
      }
      // a 409: the first try with this key is still under way
      if (answer.status < 500 && answer.status !== 409) throw new Error(`a start was refused: ${answer.text}`)
      await sleep(100 + Math.random() * 200)
    }
  }

  async function goOn(): Promise<void> {
    let due = 0
    for (let last = performance.now(); !over.signal.aborted; await sleep(tickMs)) {
      const now = performance.now()
      due = Math.min(due + ((now - last) / 1000) * size.startsPerSecond, size.startsPerSecond)
      last = now
      for (; due >= 1 && open.size < openMax; due--) {
        const one = start(yard.apis[begun % yard.apis.length]!.baseUrl)
        open.add(one)
        void one.finally(() => open.delete(one))
      }
    }
  }
  const going = goOn()
  return {
    acknowledged,
    firstAnswerAfter(api, moment) {
      const [first] = answered
        .filter(({ baseUrl, sentAt }) => baseUrl === api.baseUrl && sentAt >= moment)
        .map(({ at }) => at)
        .sort((a, b) => a - b)
      return first ?? Infinity
    },
    startAt: (api) => start(api.baseUrl),
    async stop() {
      over.abort()
      await going
      await Promise.all(open)
      return (performance.now() - startedAt) / 1000
    },
  }
}

/** A connection that breaks is answered like a 5xx: the client sends the same again. */
async function sendOnce(baseUrl: string, request: Parameters<typeof send>[1]): Promise<HttpAnswer> {
  try {
    return await send(baseUrl, request)
  } catch {
    return { status: 599, headers: {}, text: '' }
  }
}

async function replaceAll(cluster: Cluster, yard: Yard, load: Load) {
  const answersMs: number[] = []
  const waitedMs: number[] = []
  const withoutMs: number[] = []
  async function replace(how: (primary: Node) => Promise<void>): Promise<void> {
    await sleep(size.pauseMs)
    await cluster.untilWhole()
    const before = await cluster.untilPrimary()
    const begunAt = performance.now()
    await how(before)
    await cluster.untilPrimary(before)
    const thereAt = performance.now()
    withoutMs.push(thereAt - begunAt)
    await Promise.all(yard.apis.map((api) => load.startAt(api)))
    waitedMs.push(performance.now() - thereAt)
    answersMs.push(Math.max(...yard.apis.map((api) => load.firstAnswerAfter(api, thereAt))) - thereAt)
  }
  for (let round = 0; round < size.rounds; round++) {
    await replace((primary) => cluster.switchOver(primary))
    await replace((primary) => cluster.kill(primary))
  }
  return {
    answersP50Ms: Math.round(percentile(answersMs, 50)),
    answersMaxMs: Math.round(Math.max(...answersMs)),
    answersLate: answersMs.filter((ms) => ms > answersBoundMs).length,
    waitedMaxMs: Math.round(Math.max(...waitedMs)),
    withoutPrimaryMaxMs: Math.round(Math.max(...withoutMs)),
  }
}

/** On connections of their own, without our limits: these statements read everything. */
async function check(cluster: Cluster, { counter }: Yard, acknowledged: string[]) {
  const { port } = await cluster.untilPrimary()
  const pool = new Pool({ connectionString: cluster.url.replace(/@[^/]*\//, `@127.0.0.1:${port}/`), max: 2 })
  const sql = sqlOn(pool)
  try {
    const rows = await sql<{ id: string; status: string }>`select id, status from runs`
    const there = new Set(rows.map(({ id }) => id))
    return {
      lost: acknowledged.filter((id) => !there.has(id)).length,
      doubled: rows.length - new Set(acknowledged).size,
      completed: rows.filter(({ status }) => status === 'completed').length,
      ...(await compareCalls(sql, await counter.arrivals())),
      ...(await readLedger(sql)),
    }
  } finally {
    await pool.end()
  }
}
