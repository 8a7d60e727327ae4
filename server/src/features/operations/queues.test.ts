// Figures of queues and deliveries, against rows that were counted by hand.
import assert from 'node:assert/strict'
import { newId } from '../../base/ids.ts'
import { seedQueue } from '../../../test/kit/cases.ts'
import { subscribe } from '../../../test/kit/deliveries.ts'
import { figuresAt } from '../../../test/kit/figures.ts'
import { proves } from '../../../test/kit/proves.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'

const service = await testApp()
const { db } = service.context
const { read } = figuresAt(service, '2026-07-18T09:30:00.000Z')
const team = await seedTeam(service)
const other = await seedTeam(service)

proves('operations.queues', 'cases are counted by queue and status, and the waiting ones by their age', async () => {
  const [busy, idle] = [await seedQueue(team), await seedQueue(team)]
  await db.sql`update queues set name = case id when ${busy} then 'Busy' else 'Idle' end where team_id = ${team.id} and id in (${busy}, ${idle})`
  await seedQueue(other)
  for (const [created, status] of [
    ['2026-07-18T09:29:00Z', 'pending'],
    ['2026-07-18T08:30:00.001Z', 'pending'],
    ['2026-07-18T08:30:00Z', 'pending'],
    ['2026-07-18T05:30:00Z', 'pending'],
    ['2026-07-16T09:30:00Z', 'pending'],
    ['2026-07-01T00:00:00Z', 'pending'],
    ['2026-06-01T00:00:00Z', 'completed'],
    ['2026-06-02T00:00:00Z', 'failed'],
  ]) {
    await db.sql`
      insert into cases (id, team_id, queue_id, title, data, created_at, display_status)
      values (${newId()}, ${team.id}, ${busy}, 'A case', '', ${created}, ${status})`
  }
  const labelId = newId()
  await db.sql`insert into labels (id, team_id, queue_id, key, value, color_hue) values (${labelId}, ${team.id}, ${busy}, 'region', 'north', 1)`
  await db.sql`insert into case_labels (case_id, label_id, created_at)
    select id, ${labelId}, created_at from cases where queue_id = ${busy} and created_at < '2026-07-17'`
  const figures = await read(team, 'operations_queues', { labels: true })
  const none = { in_progress: 0, needs_input: 0, postponed: 0 }
  const waits = { oldest_waiting_at: '2026-07-01T00:00:00.000Z', oldest_waiting_s: 17 * 86_400 + 9.5 * 3600 }
  assert.deepEqual(figures.rows, [
    {
      queue_id: busy,
      queue: 'Busy',
      ...none,
      pending: 6,
      completed: 1,
      failed: 1,
      open: 6,
      ...waits,
      under_1h: 2,
      under_4h: 1,
      under_1d: 1,
      under_3d: 1,
      older: 1,
    },
    {
      queue_id: idle,
      queue: 'Idle',
      ...none,
      pending: 0,
      completed: 0,
      failed: 0,
      open: 0,
      oldest_waiting_at: null,
      oldest_waiting_s: null,
      under_1h: 0,
      under_4h: 0,
      under_1d: 0,
      under_3d: 0,
      older: 0,
    },
  ])
  assert.deepEqual(
    figures.ages.map(({ cases }: { cases: number }) => cases),
    [2, 1, 1, 1, 1],
  )
  assert.deepEqual(figures.totals, {
    queues: 2,
    ...none,
    pending: 6,
    completed: 1,
    failed: 1,
    open: 6,
    under_1h: 2,
    under_4h: 1,
    under_1d: 1,
    under_3d: 1,
    older: 1,
    ...waits,
  })
  assert.deepEqual(figures.labels, [{ queue: 'Busy', label: 'region: north', open: 2, cases: 4 }])
  const { rows, left_out } = await read(team, 'operations_queues', { queue: 'Idle' })
  assert.deepEqual([rows.length, rows[0].queue, left_out], [1, 'Idle', 0])
})

proves(
  'operations.deliveries',
  'deliveries are counted by target and state, and no URL shows more than its host',
  async () => {
    const secret = 'https://hooks.example.com/services/secret-path?token=abc'
    const [webhook, quiet] = [await subscribe(team, secret), await subscribe(team, 'https://quiet.example.com/')]
    const [callback, sameHost] = [newId(), newId()]
    await db.sql`insert into delivery_targets (id, team_id, kind, url) values (${callback}, ${team.id}, 'callback', 'https://back.example.com/1'),
    (${sameHost}, ${team.id}, 'callback', 'https://back.example.com/2')`
    const deliver = (target: string, state: string, created: string, owner = team) => db.sql`
    insert into deliveries (id, team_id, target_id, event_id, event, created_at, state, settled_at)
    values (${newId()}, ${owner.id}, ${target}, ${newId()}, 'run.completed', ${created}, ${state}, ${state === 'delivered' ? created : null})`
    await deliver(webhook, 'retrying', '2026-07-18T07:30:00Z')
    await deliver(webhook, 'new', '2026-07-18T09:20:00Z')
    await deliver(webhook, 'dead', '2026-07-17T07:30:00Z')
    await deliver(webhook, 'delivered', '2026-07-18T00:00:00Z')
    await deliver(webhook, 'delivered', '2026-07-17T23:59:59Z')
    await deliver(callback, 'delivered', '2026-07-18T09:00:00Z')
    // three events of one change: one waits, one was delivered, and one is not for this target
    await db.sql`
    insert into delivery_batches (batch_id, target_id, team_id, created_at, kinds, waiting, delivered)
    values (${newId()}, ${webhook}, ${team.id}, '2026-07-18T09:25:00Z', 'mmc', '100', '010')`
    await deliver(sameHost, 'replaying', '2026-07-18T09:29:30Z')
    await deliver(await subscribe(other, secret), 'dead', '2026-07-18T09:00:00Z', other)
    await db.sql`insert into usage_entries (team_id, day, deliveries) values (${team.id}, '2026-07-18', 3), (${team.id}, '2026-07-17', 5)`
    const figures = await read(team, 'operations_deliveries')
    const calm = { active: true, waiting: 0, retrying: 0, dead: 0, oldest_waiting_at: null, oldest_waiting_s: null }
    assert.deepEqual(figures.rows, [
      {
        ...calm,
        target: 'hooks.example.com',
        kind: 'subscription',
        delivered_today: 2,
        waiting: 2,
        retrying: 1,
        dead: 1,
        oldest_waiting_at: '2026-07-18T07:30:00.000Z',
        oldest_waiting_s: 7200,
      },
      {
        ...calm,
        target: 'back.example.com',
        kind: 'callback',
        delivered_today: 1,
        retrying: 1,
        oldest_waiting_at: '2026-07-18T09:29:30.000Z',
        oldest_waiting_s: 30,
      },
      { ...calm, target: 'quiet.example.com', kind: 'subscription', delivered_today: 0 },
    ])
    assert.deepEqual(figures.totals, {
      delivered_today: 3,
      waiting: 2,
      retrying: 2,
      dead: 1,
      oldest_waiting_at: '2026-07-18T07:30:00.000Z',
      oldest_waiting_s: 7200,
    })
    assert.doesNotMatch(JSON.stringify(figures), /secret|token/)
    assert.ok(quiet)
  },
)
