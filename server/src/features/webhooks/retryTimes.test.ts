// When the next retry of a target is due: no retry is forgotten, whoever writes at the same moment.
import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { proves } from '../../../test/kit/proves.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { newId } from '../../base/ids.ts'
import { loadNew, markResults, updateRetryTimes, type AttemptResult, type Loaded } from './deliveryRows.ts'

const service = await testApp()
const { db } = service.context

async function waitingForLocks(): Promise<number> {
  const [counted] = await db.sql<{ waiting: number }>`
    select count(*) as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  return counted!.waiting
}

/** A target that this worker has, with a new delivery; an earlier retry of it was due and is over. */
async function seedTarget(workerId: string): Promise<string> {
  const team = await seedTeam(service)
  const id = newId()
  await db.sql`
    insert into delivery_targets (id, team_id, kind, url, events, worker, retry_at)
    values (${id}, ${team.id}, 'subscription', 'https://hooks.example.com', '{*}', ${workerId}, now() - interval '1 minute')`
  await db.sql`
    insert into deliveries (id, team_id, target_id, event_id, event, created_at, data)
    values (${newId()}, ${team.id}, ${id}, ${newId()}, 'run.failed', now(), '{}')`
  return id
}

/** A first attempt without an answer, to be repeated in a minute. */
function failed(delivery: Loaded): AttemptResult {
  const at = new Date().toISOString()
  const attempt = { at, ok: false, status: null, stage: null, error: 'no', latency_ms: 1, answer: null }
  const outcome = { attempt, retryAfterS: undefined, isGone: false }
  return { delivery, outcome, state: 'retrying', dueInS: 60, reason: null }
}

proves(
  'webhooks.retryFound',
  'whoever looks for the next retry waits for the failed attempt that is being written',
  async () => {
    const workerId = newId()
    const targetId = await seedTarget(workerId)
    const [delivery] = await loadNew(db.sql, [targetId], [], 1)
    const look = { isOver: false }
    let updating: Promise<void> | undefined
    await db.transaction(async (sql) => {
      await markResults(sql, [failed(delivery!)])
      updating = updateRetryTimes(db, workerId, [targetId]).finally(() => (look.isOver = true))
      while (!look.isOver && (await waitingForLocks()) === 0) await nextTurn()
    })
    await updating
    const [row] = await db.sql<{ is_found: boolean }>`
      select t.retry_at is not distinct from d.due_at as is_found
      from delivery_targets t join deliveries d on d.target_id = t.id where t.id = ${targetId}`
    assert.ok(row!.is_found, 'the target is looked at when its retry is due')
  },
)

proves('webhooks.retryFound', 'a failed attempt that is written later makes the time earlier again', async () => {
  const workerId = newId()
  const targetId = await seedTarget(workerId)
  await updateRetryTimes(db, workerId, [targetId])
  const times = async () =>
    (await db.sql<{ retry_at: Date | null }>`select retry_at from delivery_targets where id = ${targetId}`)[0]!.retry_at
  assert.equal(await times(), null, 'nothing is due')
  const [delivery] = await loadNew(db.sql, [targetId], [], 1)
  await markResults(db.sql, [failed(delivery!)])
  assert.ok((await times())! > new Date())
})
