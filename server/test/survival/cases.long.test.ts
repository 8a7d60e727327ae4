// Cases outlive the workers of their runs.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { connectionUrl } from '../../src/base/embeddedPostgres.ts'
import { testDatabase } from '../kit/postgres.ts'
import { isWorked, workCases } from './cases.ts'
import { temporaryDataDir } from './processes.ts'
import { bodyOf, openYard, until } from './yard.ts'
import { proves } from '../kit/proves.ts'

const dataDir = await temporaryDataDir()
const env = { DATABASE_URL: connectionUrl(await testDatabase()), LOG_LEVEL: 'warn' }
const yard = await openYard({ options: { dataDir: dataDir.path, env }, workers: 2 })
after(async () => {
  await yard.close()
  await dataDir.remove()
})

proves(
  'cases.killed',
  'workers killed at random moments lose no case, and work none twice or out of order',
  async (t) => {
    const seen = await workCases(yard, { cases: 300, producers: 4, kills: 2, pauseMs: 400, forMs: 120_000 })
    t.diagnostic(JSON.stringify(seen))
    assert.equal(seen.cases, 300)
    assert.ok(seen.kills >= 2 && seen.repeats > 0)
    assert.ok(isWorked(seen))
  },
)

proves('bulk.killed', 'a bulk action whose workers are all killed changes every case once', async () => {
  const { teamId } = yard.apis[0]!
  const queue = await yard.call({ method: 'POST', path: `/v2/teams/${teamId}/queues`, body: { name: 'Many' } })
  const queueId = bodyOf(queue)['queue_id'] as string
  // the request itself would change a smaller number
  const count = 10_001
  await yard.sql`
    insert into cases (id, team_id, queue_id, title, data)
    select new_id(), ${teamId}, ${queueId}, 'Case ' || n, '' from generate_series(1, ${count}::int) n`
  const body = { all_matching: true, status: 'completed' }
  const begun = await yard.call({ method: 'POST', path: `/v2/queues/${queueId}/cases/bulk-update-status`, body })
  const actionId = bodyOf(begun)['bulk_action_id'] as string
  const look = async () =>
    bodyOf(await yard.call({ path: `/v2/bulk-actions/${actionId}` }))['bulk_action'] as {
      status: string
      updated_count: number
    }
  const underWay = await until('it gets on', look, ({ updated_count }) => updated_count > 0)
  assert.equal(underWay.status, 'running')
  await Promise.all(yard.workers.splice(0).map((worker) => worker.stop('SIGKILL')))
  yard.workers.push(await yard.startWorker())
  const ended = await until('it ends', look, ({ status }) => status !== 'running')
  assert.deepEqual([ended.status, ended.updated_count], ['completed', count])
  const [seen] = await yard.sql<Record<'changed' | 'noted' | 'told', number>>`
    select count(*) filter (where display_status = 'completed')::int as changed,
      (select count(*)::int from case_events e join cases c on c.id = e.case_id where c.queue_id = ${queueId}) as noted,
      (select count(*)::int from events where event = 'queue.case.completed' and data ->> 'queue_id' = ${queueId}) as told
    from cases where queue_id = ${queueId}`
  assert.deepEqual(seen, { changed: count, noted: count, told: count })
})
