// Webhooks as callers see them: made, listed, changed, switched off, deleted, and refused with a reason.
import assert from 'node:assert/strict'
import { seeders, seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { newId } from '../../base/ids.ts'
import type { Webhook } from './webhook.ts'
import { proves } from '../../../test/kit/proves.ts'

// excepted, so that no test waits for a resolver
const service = await testApp({ config: { allowPrivateHosts: ['hooks.example.com'] } })
const path = '/v2/teams/:teamId/webhooks'
const url = 'https://hooks.example.com/runyard'

const create = (team: TestTeam, body: object = {}) =>
  team.call(`POST ${path}`, { body: { url, events: ['*'], ...body } })

interface Seeded {
  team: TestTeam
  id: string
  change: (body: object) => Promise<Webhook>
}

async function seed(body: object = {}): Promise<Seeded> {
  const team = await seedTeam(service)
  const { body: made } = await create(team, body)
  const id = made.subscription_id
  return {
    team,
    id,
    change: async (changes) => (await team.call(`PATCH ${path}/${id}`, { body: changes })).body.webhook,
  }
}

proves(
  'webhooks.create',
  'a webhook is answered in its wrapper, and listed with the others, the oldest first',
  async () => {
    const team = await seedTeam(service)
    const first = await create(team, { events: ['run.completed', 'run.failed'], description: 'Ends of runs' })
    assert.equal(first.status, 201)
    const { webhook, subscription_id, ...rest } = first.body
    const { created_at, ...fields } = webhook
    assert.deepEqual(rest, {})
    assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.deepEqual(fields, {
      id: subscription_id,
      team_id: team.id,
      url,
      events: ['run.completed', 'run.failed'],
      active: true,
      description: 'Ends of runs',
      disabled_at: null,
      disabled_reason: null,
    })
    const second = await create(team)
    assert.equal(second.body.webhook.description, null)
    await create(await seedTeam(service))
    assert.deepEqual((await team.call(`GET ${path}`)).body, { webhooks: [webhook, second.body.webhook] })
  },
)

proves('webhooks.fields', 'what does not fit is a 400 that names the field', async () => {
  const { team, id } = await seed()
  const refused: [object, RegExp][] = [
    [{ url: undefined }, /url is missing/],
    [{ url: 7 }, /url/],
    [{ url: 'no address' }, /url/],
    [{ url: `https://hooks.example.com/${'x'.repeat(2048)}` }, /url/],
    [{ events: undefined }, /events is missing/],
    [{ events: [] }, /events/],
    [{ events: 'run.completed' }, /events/],
    [{ events: ['run.finished'] }, /events.*run\.started/],
    [{ description: 7 }, /description/],
  ]
  for (const [body, message] of refused) {
    const answer = await create(team, body)
    assert.deepEqual([answer.status, answer.body.error], [400, 'invalid_request'], JSON.stringify(body))
    assert.match(answer.body.message, message)
  }
  const twice = await create(team, { events: ['run.failed', 'run.completed', 'run.failed'] })
  assert.deepEqual(twice.body.webhook.events, ['run.failed', 'run.completed'])
  for (const body of [{ events: [] }, { active: 'no' }, { active: null }, { url: null }]) {
    assert.equal((await team.call(`PATCH ${path}/${id}`, { body })).status, 400, JSON.stringify(body))
  }
})

proves('webhooks.guard', 'an address that is not public is refused when it is saved, and nothing is', async () => {
  const { team, id } = await seed()
  const addresses = [
    'http://127.0.0.1/hook',
    'http://2130706433/hook',
    'http://0x7f.1/hook',
    'http://[::1]/hook',
    'http://[::ffff:10.0.0.1]/hook',
    'http://169.254.169.254/latest/meta-data',
    'http://192.168.1.10/hook',
    'http://100.64.0.1/hook',
    'http://localhost:3000/hook',
    'http://hooks.internal/hook',
    'http://printer.local/hook',
    'https://user:word@hooks.example.com/hook',
    'ftp://hooks.example.com/hook',
  ]
  for (const address of addresses) {
    for (const route of [`POST ${path}`, `PATCH ${path}/${id}`]) {
      const { status, body } = await team.call(route, { body: { url: address, events: ['*'] } })
      assert.deepEqual([status, body.error], [400, 'url_not_allowed'], `${route} ${address}`)
    }
  }
  const { webhooks } = (await team.call(`GET ${path}`)).body
  assert.deepEqual(
    webhooks.map((one: { url: string }) => one.url),
    [url],
  )
})

proves(
  'webhooks.most',
  'a team has at most 50 webhooks, however many are made at once, and a deleted one makes room',
  async () => {
    const { team, id } = await seed()
    await team.sql`
    insert into delivery_targets (id, team_id, kind, url, events)
    select gen_random_uuid(), team_id, kind, url, events from delivery_targets, generate_series(1, 47) where id = ${id}`
    const answers = await Promise.all(Array.from({ length: 5 }, () => create(team)))
    const refused = answers.filter(({ status }) => status === 409)
    assert.deepEqual([answers.filter(({ status }) => status === 201).length, refused.length], [2, 3])
    for (const { body } of refused) {
      assert.equal(body.error, 'conflict')
      assert.match(body.message, /50 webhooks.*Delete or change one/)
    }
    assert.equal((await team.call(`GET ${path}`)).body.webhooks.length, 50)
    await team.call(`DELETE ${path}/${id}`)
    assert.equal((await create(team)).status, 201)
    assert.equal((await create(await seedTeam(service))).status, 201, 'another team has its own')
  },
)

proves('webhooks.update', 'only the given fields change', async () => {
  const { team, id, change } = await seed({ description: 'All' })
  const { webhook: made } = (await team.call(`PATCH ${path}/${id}`, { body: {} })).body
  assert.deepEqual(made, (await team.call(`GET ${path}`)).body.webhooks[0])
  const moved = { ...made, url: 'https://hooks.example.com/other' }
  assert.deepEqual(await change({ url: moved.url }), moved)
  assert.deepEqual(await change({ events: ['run.failed'] }), { ...moved, events: ['run.failed'] })
  assert.deepEqual(await change({ description: null }), { ...moved, events: ['run.failed'], description: null })
  const off = await change({ active: false })
  assert.deepEqual([off.active, off.disabled_at, off.disabled_reason], [false, null, null], 'a person did it')
})

interface Health {
  failures: number
  failing_since: Date | null
  paused_until: Date | null
}

proves('webhooks.enable', 'only switching it on, or giving it a new URL, forgets its failures', async () => {
  const { team, id, change } = await seed()
  const fail = () => team.sql`
    update delivery_targets set active = false, disabled_at = now(), disabled_reason = 'It answered 410.', failures = 7,
      failing_since = now(), paused_until = now() where id = ${id}`
  const health = async () => {
    const [row] = await team.sql<Health>`
      select failures, failing_since, paused_until from delivery_targets where id = ${id}`
    return [row!.failures, row!.failing_since === null, row!.paused_until === null]
  }
  const bad = [7, false, false]
  const good = [0, true, true]
  await fail()
  for (const body of [{ url }, { events: ['run.failed'] }, { active: false }]) {
    assert.equal((await change(body)).disabled_reason, 'It answered 410.')
    assert.deepEqual(await health(), bad, JSON.stringify(body))
  }
  const moved = await change({ url: 'https://hooks.example.com/new' })
  assert.deepEqual([moved.active, moved.disabled_reason], [false, 'It answered 410.'])
  assert.deepEqual(await health(), good)
  await fail()
  const on = await change({ active: true })
  assert.deepEqual([on.active, on.disabled_at, on.disabled_reason], [true, null, null])
  assert.deepEqual(await health(), good)
})

proves(
  'webhooks.delete',
  'a deleted webhook drops what is not sent yet, keeps what was, and is gone for everything else',
  async () => {
    const { team, id } = await seed()
    const states = ['new', 'retrying', 'replaying', 'delivered', 'dead']
    const ids: string[] = []
    for (const state of states) {
      const made = await team.call(`POST /v2/webhooks/${id}/test`)
      ids.push(made.body.delivery_id)
      await team.sql`update deliveries set state = ${state} where id = ${made.body.delivery_id}`
    }
    const other = await seeders['delivery']!(team, {})
    await team.sql`update deliveries set state = 'new' where id = ${other}`
    assert.deepEqual((await team.call(`DELETE ${path}/${id}`)).body, { success: true })
    const found = await Promise.all(ids.map((one) => team.call(`GET /v2/webhook-deliveries/${one}`)))
    assert.deepEqual(
      found.map(({ status }) => status),
      [404, 404, 404, 200, 200],
    )
    assert.equal((await team.call(`GET /v2/webhook-deliveries/${other}`)).body.delivery.status, 'new')
    assert.equal(found[3]!.body.delivery.subscription_id, id)
    const gone = [
      `DELETE ${path}/${id}`,
      `PATCH ${path}/${id}`,
      `POST /v2/webhooks/${id}/test`,
      `POST /v2/webhooks/${id}/replay`,
    ]
    for (const route of gone) {
      assert.equal((await team.call(route, { body: { since: '2026-01-01' } })).status, 404, route)
    }
    const again = await team.call(`POST /v2/webhook-deliveries/${ids[4]}/replay`)
    assert.equal(again.status, 409)
    assert.match(again.body.message, /deleted\. Make a new one/)
  },
)

proves('webhooks.walls', 'the URL of a run’s callback is not a webhook: it is neither listed nor changed', async () => {
  const team = await seedTeam(service)
  const id = newId()
  await team.sql`insert into delivery_targets (id, team_id, kind, url) values (${id}, ${team.id}, 'callback', ${url})`
  assert.deepEqual((await team.call(`GET ${path}`)).body.webhooks, [])
  for (const route of [`DELETE ${path}/${id}`, `PATCH ${path}/${id}`, `POST /v2/webhooks/${id}/test`]) {
    assert.equal((await team.call(route)).status, 404, route)
  }
})
