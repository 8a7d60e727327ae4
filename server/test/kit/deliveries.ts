// Delivering in tests: everything that is due is sent until nothing is, by a process of its own.
import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Sql } from '../../src/base/db.ts'
import { newId } from '../../src/base/ids.ts'
import { delivererOf } from '../../src/features/webhooks/deliveryRole.ts'
import type { TestTeam } from './seed.ts'
import type { TestApp } from './testApp.ts'

export async function drainDeliveries({ context }: TestApp): Promise<void> {
  const living = new AbortController()
  const work = delivererOf(context).work({ id: newId(), lost: () => living.signal })
  // times have milliseconds, and are rounded: what is due now may be written as due in the next one
  const due = async () => {
    const [row] = await context.db.sql<{ due: boolean }>`
      select exists (
        select from every_delivery d join delivery_targets t on t.id = d.target_id
        where t.active and t.deleted_at is null and (t.paused_until is null or t.paused_until <= now() + interval '1 ms')
          and (d.state in ('new', 'replaying') or (d.state = 'retrying' and d.due_at <= now() + interval '1 ms'))) as due`
    return row!.due
  }
  while (await due()) {
    await work.poll()
    await nextTurn()
  }
  await work.poll()
  await work.stop()
}

/** Makes every delivery of a run a row of its own, which a test may change. */
export async function setRunApart(sql: Sql, runId: string): Promise<void> {
  await sql`select set_apart(batch_id, target_id, waiting | delivered) from delivery_batches where run_id = ${runId}`
}

export async function subscribe(team: TestTeam, url: string, events: string[] = ['*']): Promise<string> {
  const { status, body, text } = await team.call('POST /v2/teams/:teamId/webhooks', { body: { url, events } })
  assert.equal(status, 201, text)
  return body.subscription_id
}

export async function secretOf(team: TestTeam): Promise<string> {
  return (await team.call('GET /v2/teams/:teamId/webhook-secret')).body.secret
}

export interface ShownDelivery {
  id: string
  event: string
  status: string
  attempts: number
  reason: string | null
  next_attempt_at: string | null
  log: { ok: boolean; status: number | null; stage: string | null; error: string | null; answer: string | null }[]
}

/** All of a team's deliveries with their attempts, the oldest first. */
export async function readDeliveries(team: TestTeam): Promise<ShownDelivery[]> {
  const { body } = await team.call('GET /v2/teams/:teamId/webhook-deliveries?limit=200')
  const all: ShownDelivery[] = []
  for (const { id } of (body.deliveries as { id: string }[]).toReversed()) {
    all.push((await team.call(`GET /v2/webhook-deliveries/${id}`)).body.delivery)
  }
  return all
}
