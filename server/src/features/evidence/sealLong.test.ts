// Logs that take long to seal: nobody's events wait for it, other runs are sealed too, and what happens meanwhile to the run itself counts.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { proves } from '../../../test/kit/proves.ts'
import { drainRuns, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { connectionSettings, one, type Database, type Sql } from '../../base/db.ts'
import { flatten } from '../../base/sql.ts'
import type { Context } from '../../kit/context.ts'
import { beginStream, oldestOpen } from '../../kit/eventPositions.ts'
import { teamEvents } from '../../kit/readEvents.ts'
import { sealEnded, sealSome } from './sealRuns.ts'

const service = await testApp()
const { context } = service
const { sql } = context.db
const procedure =
  '```memory path=notes.md\nFirst.\n```\n\n```memory path=notes.md\nSecond.\n```\n\n```output\ndone\n```\n'
const whole = { runs: 500, bytes: 8 * 1024 ** 2 }
/** Every run is longer, and its rows are read one by one. */
const oneByOne = { runs: 500, bytes: 1 }

/** Whoever seals waits at the first link that it makes, as long as a test holds this lock. */
const gateLock = 77
await context.db.pool.query(`
  create or replace function link_after(link bytea, start bytea, digest bytea) returns bytea language plpgsql as $$
  begin
    perform pg_advisory_xact_lock_shared(${gateLock});
    return sha256(coalesce(link, start) || digest);
  end $$`)

interface SealRow {
  number: number
  events_last: number
  head: Buffer
}

const sealsOf = (runId: string) => sql<SealRow>`
  select number, events_last, events_rows, events_link, steps_last, steps_rows, steps_link, messages_rows, messages_link, head
  from run_seals where run_id = ${runId} order by number`

async function endedRun(team: TestTeam, agentId: string, body: Record<string, unknown> = {}): Promise<string> {
  const runId = await startRun(team, agentId, body)
  await drainRuns(service)
  return runId
}

const behindLast = () => sql`
  select from evidence_cursor c where (c.xid, c.run_id) >= all (
    select ended_xid, id from runs where completed_at is not null and ended_xid is not null)`

/** Whatever was open elsewhere may hold back the last ones for a moment. */
async function sealAll(share = whole): Promise<void> {
  while ((await behindLast()).length === 0) await sealSome(context, share)
}

/** The context with other transactions. */
const withTransactions = (transaction: Database['transaction']): Context => ({
  ...context,
  db: { ...context.db, transaction },
})

/** It waits for the gate however long that takes. */
const patient = withTransactions((work) =>
  context.db.transaction(async (inside) => {
    await inside`select set_config('lock_timeout', '0', true)`
    return work(inside)
  }),
)

/** Each statement that seals more than two runs takes too long. */
function slow(): { context: Context; cancelled: () => number } {
  let cancelled = 0
  const slowly =
    (inside: Sql): Sql =>
    async (strings, ...values) => {
      const { statement, parameters } = flatten(strings, values)
      const ids = parameters.find((value) => typeof value === 'string' && /^\{[\da-f]{8}-/.test(value))
      if (statement.text.includes('run_seals') && String(ids).split(',').length > 2) {
        cancelled += 1
        // as PostgreSQL ends a statement after its time
        await inside`do $$ begin raise exception 'canceling statement due to statement timeout' using errcode = '57014'; end $$`
      }
      return inside(strings, ...values)
    }
  const slowContext = withTransactions((work) => context.db.transaction((inside) => work(slowly(inside))))
  return { context: slowContext, cancelled: () => cancelled }
}

/** Does this while somebody seals who has begun to link rows; `pid` is its session. */
async function whileLinking(share: typeof whole, meanwhile: (pid: number) => Promise<unknown>): Promise<boolean> {
  const gate = new Client(connectionSettings(context.db.address()))
  await gate.connect()
  await gate.query(`select pg_advisory_lock(${gateLock})`)
  let isUnderWay = false
  let sealing = Promise.resolve(false)
  const waiting = () => sql<{ pid: number }>`
    select l.pid from pg_locks l join pg_database d on d.oid = l.database
    where d.datname = current_database() and l.locktype = 'advisory' and l.objid = ${gateLock} and not l.granted`
  try {
    for (;;) {
      if (!isUnderWay) {
        isUnderWay = true
        sealing = sealSome(patient, share).finally(() => (isUnderWay = false))
        sealing.catch(() => {})
      }
      const [first] = await waiting()
      if (!first) continue
      await meanwhile(first.pid)
      break
    }
  } finally {
    await gate.end()
  }
  return sealing
}

for (const [what, share] of Object.entries({ 'many runs are': whole, 'a long run is': oneByOne })) {
  proves(
    'evidence.waits',
    `events of other teams arrive while ${what} sealed, and nobody else seals then`,
    async () => {
      const [team, other] = [await seedTeam(service), await seedTeam(service)]
      const [agentId, otherAgentId] = [await seedAgent(team, procedure), await seedAgent(other, procedure)]
      await sealAll()
      const runId = await endedRun(team, agentId)
      const { after } = await beginStream(sql, other.id, undefined)
      await whileLinking(share, async () => {
        await endedRun(other, otherAgentId)
        const [batch] = await teamEvents(sql, [{ teamId: other.id, after }], (await oldestOpen(sql)).xid)
        assert.match(batch!.events.at(-1)?.text ?? 'no event', /completed/)
        assert.equal(await sealSome(context), false)
      })
      await sealAll()
      assert.equal((await sealsOf(runId)).length, 1)
    },
  )

  proves(
    'evidence.waits',
    `when a process dies while ${what} sealed, nothing is left, and the next look seals`,
    async () => {
      const team = await seedTeam(service)
      const agentId = await seedAgent(team, procedure)
      await sealAll()
      const runId = await endedRun(team, agentId)
      await assert.rejects(whileLinking(share, (pid) => sql`select pg_terminate_backend(${pid})`))
      assert.deepEqual(await sealsOf(runId), [])
      await sealAll()
      assert.equal((await sealsOf(runId)).length, 1)
    },
  )
}

proves('evidence.waits', 'a long run that continues while it is read is sealed after it has ended again', async () => {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, procedure)
  await sealAll()
  const runId = await endedRun(team, agentId)
  await whileLinking(oneByOne, async () => {
    const { status, text } = await team.call(`POST /v2/runs/${runId}/messages`, { body: { message: 'And now?' } })
    assert.equal(status, 201, text)
  })
  assert.deepEqual(await sealsOf(runId), [])
  await drainRuns(service)
  await sealAll()
  const { event_seq } = await one(sql<{ event_seq: number }>`select event_seq from runs where id = ${runId}`)
  assert.deepEqual(
    (await sealsOf(runId)).map(({ number, events_last }) => [number, events_last]),
    [[1, event_seq]],
  )
})

proves(
  'evidence.erasing',
  'a long run whose log is erased, or that is deleted, while it is read leaves no seal',
  async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, procedure)
    for (const erase of [
      (id: string) => sql`update runs set log_erased_at = now() where id = ${id}`,
      (id: string) => team.call(`DELETE /v2/runs/${id}`),
    ]) {
      await sealAll()
      const runId = await endedRun(team, agentId)
      await whileLinking(oneByOne, () => erase(runId))
      await sealAll()
      assert.deepEqual(await sealsOf(runId), [])
    }
  },
)

proves('evidence.sealed', 'a log that is read in parts gets the seals that it gets as a whole', async () => {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, procedure)
  // longer than what an event has of a message
  const runId = await endedRun(team, agentId, { message: 'long '.repeat(10_000) })
  for (const share of [oneByOne, { runs: 500, bytes: 3000 }]) {
    await sealAll(share)
    const inParts = await sealsOf(runId)
    await sql`delete from run_seals where run_id = ${runId} and number = ${inParts.length}`
    await sql`update evidence_cursor set xid = ended_xid - 1 from runs where id = ${runId}`
    await sealAll()
    assert.deepEqual(await sealsOf(runId), inParts)
    const { status, text } = await team.call(`POST /v2/runs/${runId}/messages`, {
      body: { message: 'more '.repeat(5000) },
    })
    assert.equal(status, 201, text)
    await drainRuns(service)
  }
})

proves('evidence.sealed', 'runs whose steps are larger than a share are sealed a few at a time', async () => {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, procedure)
  await sealAll()
  const runs = await Promise.all(Array.from({ length: 6 }, () => startRun(team, agentId)))
  await drainRuns(service)
  const large = JSON.stringify(randomBytes(150_000).toString('base64'))
  await sql`update run_steps set arguments = ${large}::jsonb where seq = 1 and run_id = any(${runs}::uuid[])`
  const countSeals = async () =>
    (
      await one(
        sql<{ seals: number }>`select count(*)::int as seals from run_seals where run_id = any(${runs}::uuid[])`,
      )
    ).seals
  for (let sealed = 0; sealed < runs.length;) {
    await sealSome(context, { runs: 500, bytes: 500_000 })
    const now = await countSeals()
    assert.ok(now - sealed <= 2, `${now - sealed} runs with 200 KB each`)
    sealed = now
  }
})

proves(
  'evidence.sealed',
  'a statement that took too long is tried with fewer runs, and the runs behind are sealed',
  async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, procedure)
    await sealAll()
    const runs = await Promise.all(Array.from({ length: 12 }, () => startRun(team, agentId)))
    await drainRuns(service)
    const { context: slowContext, cancelled } = slow()
    const { signal } = new AbortController()
    const unsealed = () => sql`
    select from unnest(${runs}::uuid[]) r (id) where not exists (select from run_seals where run_id = r.id)`
    while ((await unsealed()).length > 0) await sealEnded({ context: slowContext, signal })
    assert.ok(cancelled() > 0)
    for (const runId of runs) assert.equal((await sealsOf(runId)).length, 1)
  },
)
