// The pipeline's promises: one transaction, nothing half done, every failure told in the one shape.
import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { beforeEach } from 'node:test'
import type { Sql } from '../../base/db.ts'
import { Fault } from '../../base/errors.ts'
import { newId } from '../../base/ids.ts'
import { createProbeTables, inside, jobRuns, probes } from '../../../test/kit/probe.ts'
import { changedSoon, refusedSoon } from '../../../test/kit/refusedSoon.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { proves } from '../../../test/kit/proves.ts'

type Act = Parameters<typeof inside.prepare>[0]

const service = await testApp({ features: [probes] })
const { sql } = service.context.db
await createProbeTables(sql)
const team = await seedTeam(service)

const count = async (table: 'probes' | 'events' | 'jobs' | 'audit_log'): Promise<number> => {
  const [row] = await {
    probes: () => sql<{ n: number }>`select count(*) as n from probes`,
    events: () => sql<{ n: number }>`select count(*) as n from events`,
    jobs: () => sql<{ n: number }>`select count(*) as n from graphile_worker.jobs`,
    audit_log: () => sql<{ n: number }>`select count(*) as n from audit_log`,
  }[table]()
  return row!.n
}
const counts = async () => [await count('probes'), await count('events'), await count('jobs')]

beforeEach(() => {
  inside.handler = async () => undefined
  inside.prepare = async () => undefined
})

proves('kit.transaction', 'a change, its event, its job and its audit row are committed together', async () => {
  const before = await counts()
  const answer = await team.call('POST /v2/probes', { body: { note: 'hello' } })
  assert.equal(answer.status, 201)
  assert.deepEqual(
    await counts(),
    before.map((n) => n + 1),
  )
  const [event] = await sql<{ event: string; data: { event_id: string; team_id: string; connection_id: string } }>`
    select event, data from events where data ->> 'connection_id' = ${answer.body.probe_id}`
  assert.equal(event!.event, 'connection.updated')
  assert.equal(event!.data.team_id, team.id)
  const [audited] = await sql<{ operation: string; target_id: string; member_id: string; status: number }>`
    select * from audit_log where request_id = ${answer.headers['x-request-id']}`
  assert.equal(audited!.operation, 'createProbe')
  assert.equal(audited!.target_id, answer.body.probe_id)
  assert.equal(audited!.member_id, team.memberId)
  await service.drain()
  assert.ok(jobRuns.includes(answer.body.probe_id))
})

proves(
  ['kit.refusalChangesNothing', 'audit.refused'],
  'a refusal by the handler undoes everything, is audited, and is replayed with its key',
  async () => {
    const before = await counts()
    const options = { body: { note: 'conflict' }, idempotencyKey: newId() }
    const first = await team.call('POST /v2/probes', options)
    assert.equal(first.status, 409)
    assert.deepEqual(await counts(), before)
    const again = await team.call('POST /v2/probes', options)
    assert.equal(again.text, first.text)
    assert.equal(again.headers['idempotency-replayed'], 'true')
    const rows = await sql<{
      error: string
    }>`select error from audit_log where request_id = ${first.headers['x-request-id']}`
    assert.deepEqual(rows, [{ error: 'conflict' }])
  },
)

proves(
  ['errors.bug', 'idempotency.serverErrorNotStored'],
  'a bug in a handler is a bare 500 that tells only the request id, and the next try runs',
  async () => {
    const before = await counts()
    const options = { body: { note: 'bug' }, idempotencyKey: newId() }
    const answer = await team.call('POST /v2/probes', options)
    assert.equal(answer.status, 500)
    assert.equal(answer.body.error, 'internal_error')
    assert.doesNotMatch(answer.text, /select|secret|Error/)
    assert.deepEqual(await counts(), before)
    assert.ok(
      service.logged.some((line) => line.includes(answer.headers['x-request-id']!) && line.includes('of a bug')),
    )
    const again = await team.call('POST /v2/probes', options)
    assert.equal(again.headers['idempotency-replayed'], undefined)
  },
)

proves('idempotency.refusedBefore', 'a 400 and a 404 with a key are stored and replayed like any answer', async () => {
  for (const [route, body, status] of [
    ['POST /v2/probes', { note: 7 }, 400],
    [`PATCH /v2/probes/${newId()}`, {}, 404],
  ] as const) {
    const options = { body, idempotencyKey: newId() }
    const first = await team.call(route, options)
    assert.equal(first.status, status)
    const again = await team.call(route, options)
    assert.equal(again.headers['idempotency-replayed'], 'true')
    assert.equal(again.text, first.text)
  }
})

proves(
  'idempotency.replayFirst',
  'a keyed DELETE sent again gets its stored answer, not the 404 of a row that is gone',
  async () => {
    const { body } = await team.call('POST /v2/teams/:teamId/members', { body: { name: 'Gone' } })
    const idempotencyKey = newId()
    const first = await team.call(`DELETE /v2/teams/:teamId/members/${body.member_id}`, { idempotencyKey })
    const again = await team.call(`DELETE /v2/teams/:teamId/members/${body.member_id}`, { idempotencyKey })
    assert.equal(again.status, 200)
    assert.equal(again.text, first.text)
    assert.equal((await team.call(`DELETE /v2/teams/:teamId/members/${body.member_id}`)).status, 404)
  },
)

proves('idempotency.keyRange', 'an Idempotency-Key outside 1 to 255 characters is refused', async () => {
  const ofUtf8 = Buffer.from('鍵'.repeat(256), 'utf8').toString('latin1')
  for (const idempotencyKey of ['', 'x'.repeat(256), 'ü'.repeat(256), ofUtf8]) {
    const answer = await team.call('POST /v2/probes', { body: { note: 'a' }, idempotencyKey })
    assert.equal(answer.body.error, 'invalid_idempotency_key', JSON.stringify(idempotencyKey))
  }
  const longest = await team.call('POST /v2/probes', { body: { note: 'a' }, idempotencyKey: 'x'.repeat(255) })
  assert.equal(longest.status, 201)
})

proves(
  'idempotency.keyRange',
  'an Idempotency-Key takes any characters that a header can carry, over a real connection',
  async () => {
    const url = await service.listen()
    const send = (key: Buffer) =>
      new Promise<{ status: number; replayed: boolean }>((resolve, reject) => {
        const headers = { authorization: `Bearer ${team.key}`, 'content-type': 'application/json' }
        const request = httpRequest(`${url}/v2/probes`, { method: 'POST', headers }, (answer) => {
          answer.resume()
          resolve({ status: answer.statusCode!, replayed: answer.headers['idempotency-replayed'] === 'true' })
        })
        // Node sends one byte per character, unless a text body goes with it
        request.setHeader('Idempotency-Key', key.toString('latin1'))
        request.on('error', reject).end(Buffer.from(JSON.stringify({ note: 'a' })))
      })
    const spelled = ['a b\tc', '"quoted, listed; key=1"', 'ünïcode', '鍵'.repeat(255)].map((text) => Buffer.from(text))
    for (const key of [...spelled, Buffer.from('ünïcode', 'latin1')]) {
      assert.deepEqual(await send(key), { status: 201, replayed: false }, key.toString())
      assert.deepEqual(await send(key), { status: 201, replayed: true }, key.toString())
    }
  },
)

proves('idempotency.perTeam', 'a key belongs to its team: another team may use the same one', async () => {
  const other = await seedTeam(service)
  const options = { body: { note: 'mine' }, idempotencyKey: newId() }
  const first = await team.call('POST /v2/probes', options)
  const theirs = await other.call('POST /v2/probes', options)
  assert.equal(theirs.status, 201)
  assert.notEqual(theirs.body.probe_id, first.body.probe_id)
})

proves(
  'idempotency.perCredential',
  'another credential that repeats a keyed request gets a 409, never the secret that the first was shown',
  async () => {
    const makeKey = (key: string, scopes: string[], idempotencyKey: string) =>
      service.call(`POST /v2/teams/${team.id}/api-keys`, { key, body: { name: 'deploy', scopes }, idempotencyKey })
    const narrow = await makeKey(team.key, ['keys:manage'], newId())
    const idempotencyKey = newId()
    const first = await makeKey(team.key, ['*'], idempotencyKey)
    const repeated = await makeKey(narrow.body.secret, ['*'], idempotencyKey)
    assert.equal(repeated.status, 409)
    assert.equal(repeated.body.error, 'idempotency_key_reused')
    assert.equal((await makeKey(team.key, ['*'], idempotencyKey)).text, first.text)
  },
)

proves('idempotency.perCredential', 'tokens of one client share its keys while they have the same scopes', async () => {
  const { body: client } = await team.call('POST /v2/teams/:teamId/oauth-clients', { body: {} })
  const tokenFor = async (scope: string) => {
    const { client_id, client_secret } = client
    const form = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret, scope })
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const { body } = await service.call('POST /oauth/token', { body: form.toString(), headers })
    return body.access_token as string
  }
  const idempotencyKey = newId()
  const send = async (scope: string) =>
    service.call(`POST /v2/teams/${team.id}/members`, {
      key: await tokenFor(scope),
      body: { name: 'Once' },
      idempotencyKey,
    })
  const first = await send('keys:manage team:read')
  assert.equal((await send('team:read keys:manage')).text, first.text)
  assert.equal((await send('keys:manage')).body.error, 'idempotency_key_reused')
})

proves(
  'idempotency.sealed',
  'stored replies are sealed: a new key’s secret is nowhere in the database in clear',
  async () => {
    const answer = await team.call('POST /v2/teams/:teamId/api-keys', { body: { name: 'k' }, idempotencyKey: newId() })
    const [row] = await sql<{ found: boolean }>`
    select bool_or(position(${Buffer.from(answer.body.secret.slice(20, 40))} in reply) > 0) as found from idempotency_keys`
    assert.equal(row!.found, false)
  },
)

proves('idempotency.day', 'after 24 hours a key is free again, and swept away', async () => {
  const options = { body: { note: 'old' }, idempotencyKey: newId() }
  const first = await team.call('POST /v2/probes', options)
  await sql`update idempotency_keys set expires_at = now() - interval '1 second' where key = ${options.idempotencyKey}`
  const later = await team.call('POST /v2/probes', options)
  assert.notEqual(later.body.probe_id, first.body.probe_id)
  await sql`update idempotency_keys set expires_at = now() - interval '1 second' where key = ${options.idempotencyKey}`
  await sql`select graphile_worker.add_job('sweepRequests')`
  await service.drain()
  assert.deepEqual(await sql`select 1 from idempotency_keys where key = ${options.idempotencyKey}`, [])
})

proves('idempotency.inUse', 'same-key requests of one process wait for each other and share one effect', async () => {
  const before = await count('probes')
  const options = { body: { note: 'once' }, idempotencyKey: newId() }
  const answers = await Promise.all(Array.from({ length: 50 }, () => team.call('POST /v2/probes', options)))
  assert.equal(await count('probes'), before + 1)
  // nobody waits for more than two seconds, which the first one may take on a busy machine
  const inTime = answers.filter(({ body }) => body.error !== 'idempotency_key_in_use')
  assert.equal(new Set(inTime.map(({ text }) => text)).size, 1)
})

proves(
  'idempotency.inUse',
  'a key whose first request still runs is a 409 with Retry-After, within about two seconds',
  async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const { promise: entered, resolve: enter } = Promise.withResolvers<void>()
    inside.handler = () => {
      enter()
      return released
    }
    const options = { body: { note: 'slow' }, idempotencyKey: newId() }
    const first = team.call('POST /v2/probes', options)
    await entered
    const second = await team.call('POST /v2/probes', options)
    assert.equal(second.body.error, 'idempotency_key_in_use')
    assert.equal(second.headers['retry-after'], '1')
    release()
    assert.equal((await first).status, 201)
    assert.equal((await team.call('POST /v2/probes', options)).headers['idempotency-replayed'], 'true')
  },
)

proves(
  'idempotency.outside',
  'an operation that acts outside holds its key by a committed claim, freed when it fails on our side',
  async () => {
    let acts = 0
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const { promise: entered, resolve: enter } = Promise.withResolvers<void>()
    inside.prepare = () => {
      acts += 1
      enter()
      return released
    }
    const options = { idempotencyKey: newId() }
    const first = team.call('POST /v2/probes/outside', options)
    await entered
    const [held] = await sql<{ left: number }>`
    select extract(epoch from claimed_until - now())::float8 as left from idempotency_keys where key = ${options.idempotencyKey}`
    assert.ok(held!.left > 50 && held!.left <= 60, String(held!.left))
    release()
    assert.equal((await first).status, 200)
    assert.equal((await team.call('POST /v2/probes/outside', options)).headers['idempotency-replayed'], 'true')
    assert.equal(acts, 1)

    inside.prepare = () => Promise.reject(new Error('the provider is on fire'))
    const failing = { idempotencyKey: newId() }
    assert.equal((await team.call('POST /v2/probes/outside', failing)).status, 500)
    inside.prepare = async () => undefined
    assert.equal((await team.call('POST /v2/probes/outside', failing)).status, 200)
  },
)

const refuse = async (): Promise<never> => {
  throw new Fault('conflict', 'It failed outside.')
}

interface Taking {
  /** Takes the key away. */
  revoke: () => Promise<void>
  /** Takes the scope of the call away. */
  narrow: () => Promise<void>
}

/** Calls the probe that acts outside with a key of its own, which loses its rights where the call says so. */
async function revokedInside(work: (act: Act, taking: Taking) => Promise<void>) {
  const { body: key } = await team.call('POST /v2/teams/:teamId/api-keys', { body: {} })
  const look = () => service.call('GET /v2/teams', { key: key.secret })
  const revoke = async () => {
    await team.call(`DELETE /v2/api-keys/${key.key_id}`)
    await refusedSoon(look)
  }
  const narrow = async () => {
    await sql`update api_keys set scopes = '{runs:read}' where id = ${key.key_id}`
    await changedSoon(async () => (await look()).status === 403)
  }
  inside.prepare = (act) => work(act, { revoke, narrow })
  const idempotencyKey = newId()
  const answer = await service.call('POST /v2/probes/outside', { key: key.secret, idempotencyKey })
  const audited = await sql`
    select status, error from audit_log
    where request_id = ${answer.headers['x-request-id']} and operation = 'callOutside' and credential_id = ${key.key_id}`
  const stored = await sql`select status from idempotency_keys where key = ${idempotencyKey}`
  return { answer, audited, stored }
}

const writeProbe = (note: string) => (tx: Sql) => tx`insert into probes values (${newId()}, ${team.id}, ${note})`
const countProbes = async (note: string): Promise<number> => (await sql`select from probes where note = ${note}`).length

proves(
  'credentials.revoked',
  'a key that is revoked while its call waits outside changes nothing afterwards',
  async () => {
    const { answer, audited, stored } = await revokedInside(async (act, { revoke }) => {
      await revoke()
      await act(writeProbe('too late'))
    })
    assert.deepEqual([answer.status, answer.body.error], [401, 'unauthorized'])
    assert.deepEqual([audited, stored, await countProbes('too late')], [[], [], 0])
  },
)

proves(
  ['credentials.revoked', 'audit.refused', 'idempotency.outside'],
  'a key that is revoked between two changes of its call makes only the first, which is audited, and its claim is free',
  async () => {
    const { answer, audited, stored } = await revokedInside(async (act, { revoke }) => {
      await act(writeProbe('first'))
      await revoke()
      await act(writeProbe('second'))
    })
    assert.deepEqual([answer.status, answer.body.error], [401, 'unauthorized'])
    assert.deepEqual(audited, [{ status: 401, error: 'unauthorized' }])
    assert.deepEqual([stored, await countProbes('first'), await countProbes('second')], [[], 1, 0])
  },
)

proves(
  ['idempotency.ofRequest', 'audit.refused'],
  'a key that loses its scope between two changes of its call finds no refusal stored when it has the scope again',
  async () => {
    const { answer, audited, stored } = await revokedInside(async (act, { narrow }) => {
      await act(writeProbe('with the scope'))
      await narrow()
      await act(writeProbe('without it'))
    })
    assert.deepEqual([answer.status, answer.body.error], [403, 'insufficient_scope'])
    assert.deepEqual(audited, [{ status: 403, error: 'insufficient_scope' }])
    assert.deepEqual([stored, await countProbes('with the scope'), await countProbes('without it')], [[], 1, 0])
  },
)

proves(
  ['idempotency.serverErrorNotStored', 'audit.refused'],
  'a call that changed something and then broke by our mistake has an audit row, and its key is free',
  async () => {
    const { answer, audited, stored } = await revokedInside(async (act) => {
      await act(writeProbe('before our mistake'))
      throw new Error('a mistake of ours')
    })
    assert.equal(answer.status, 500)
    assert.deepEqual([audited, stored], [[{ status: 500, error: 'internal_error' }], []])
  },
)

proves(
  ['idempotency.outside', 'audit.list'],
  'what a call did outside is answered, audited and stored, also if its token ended since then',
  async () => {
    const { answer, audited, stored } = await revokedInside(async (act, { revoke }) => {
      await act(writeProbe('done'))
      await revoke()
    })
    assert.deepEqual([answer.status, answer.body], [200, { done: true }])
    assert.deepEqual([audited, stored], [[{ status: 200, error: null }], [{ status: 200 }]])
  },
)

proves(
  'audit.refused',
  'a call that did something and then failed has an audit row however many refusals there were',
  async () => {
    const { body: key } = await team.call('POST /v2/teams/:teamId/api-keys', { body: {} })
    const call = () => service.call('POST /v2/probes/outside', { key: key.secret, idempotencyKey: newId() })
    inside.prepare = refuse
    for (let refused = 0; refused < 70; refused++) assert.equal((await call()).status, 409)
    inside.prepare = (act) => act(writeProbe('before it failed')).then(refuse)
    const answer = await call()
    assert.equal(answer.status, 409)
    const audited = await sql`select status from audit_log where request_id = ${answer.headers['x-request-id']}`
    assert.deepEqual(audited, [{ status: 409 }])
  },
)

proves('idempotency.outside', 'a committed claim of a process that died is free when it runs out', async () => {
  const idempotencyKey = newId()
  await team.call('POST /v2/probes/outside', { idempotencyKey })
  // what a process leaves that was killed while it acted: the claim without a reply
  await sql`update idempotency_keys set status = null, reply = null, claimed_until = now() + interval '60 seconds' where key = ${idempotencyKey}`
  const during = await team.call('POST /v2/probes/outside', { idempotencyKey })
  assert.equal(during.body.error, 'idempotency_key_in_use')
  await sql`update idempotency_keys set claimed_until = now() - interval '1 second' where key = ${idempotencyKey}`
  assert.equal((await team.call('POST /v2/probes/outside', { idempotencyKey })).status, 200)
})

proves('visibility.parent', 'a record below the wrong parent of the same team is a 404', async () => {
  const [one, two, child] = [newId(), newId(), newId()]
  for (const id of [one, two]) await sql`insert into probes values (${id}, ${team.id}, 'parent')`
  await sql`insert into probe_parts values (${child}, ${team.id}, ${one})`
  assert.equal((await team.call(`GET /v2/probes/${one}/parts/${child}`)).status, 200)
  const wrong = await team.call(`GET /v2/probes/${two}/parts/${child}`)
  const unknown = await team.call(`GET /v2/probes/${two}/parts/${newId()}`)
  assert.equal(wrong.status, 404)
  assert.equal(wrong.text, unknown.text)
})

proves('kit.deadlock', 'two requests that deadlock both succeed: the one that PostgreSQL ends runs again', async () => {
  const [one, two] = [newId(), newId()]
  for (const id of [one, two]) await sql`insert into probes values (${id}, ${team.id}, '0')`
  let inFirst = 0
  const { promise: bothIn, resolve: bothAreIn } = Promise.withResolvers<void>()
  const lockInOrder = (first: string, second: string) => async (tx: typeof sql) => {
    await tx`update probes set note = (note::int + 1)::text where id = ${first}`
    if (++inFirst === 2) bothAreIn()
    await bothIn
    await tx`update probes set note = (note::int + 1)::text where id = ${second}`
  }
  const orders = [lockInOrder(one, two), lockInOrder(two, one)]
  let calls = 0
  inside.handler = (tx) => orders[calls++ % 2]!(tx)
  const answers = await Promise.all([one, two].map((id) => team.call(`PATCH /v2/probes/${id}`)))
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200],
  )
  assert.deepEqual(await sql`select note from probes where id in (${one}, ${two})`, [{ note: '2' }, { note: '2' }])
})

proves(
  'errors.busy',
  'a record that another transaction holds for too long is a 409, not a hanging request',
  async () => {
    const id = newId()
    await sql`insert into probes values (${id}, ${team.id}, 'held')`
    inside.handler = async (tx) => {
      // tests wait for much longer
      await tx`set local lock_timeout = '100ms'`
      await tx`update probes set note = 'x' where id = ${id}`
    }
    await service.context.db.transaction(async (holder) => {
      await holder`select 1 from probes where id = ${id} for update`
      const answer = await team.call(`PATCH /v2/probes/${id}`)
      assert.equal(answer.status, 409)
      assert.equal(answer.body.error, 'conflict')
    })
  },
)

proves(
  ['errors.method', 'errors.route'],
  'a wrong method is a 405 with Allow, an unknown path a 404, both in the error shape',
  async () => {
    const wrongMethod = await team.call('PUT /v2/teams')
    assert.equal(wrongMethod.status, 405)
    assert.equal(wrongMethod.headers['allow'], 'GET')
    assert.equal(wrongMethod.body.error, 'method_not_allowed')
    const unknown = await team.call('GET /v2/nothing')
    assert.equal(unknown.status, 404)
    assert.equal(unknown.body.error, 'not_found')
  },
)

proves(
  ['errors.tooLarge', 'errors.contentType'],
  'a body over its cap or of another content type is a 400 that says so',
  async () => {
    const large = await team.call('POST /v2/probes', { body: JSON.stringify({ note: 'x'.repeat(2 * 1024 * 1024) }) })
    assert.equal(large.status, 400)
    assert.equal(large.body.error, 'payload_too_large')
    const form = await team.call('POST /v2/probes', {
      body: 'note=hello',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    assert.equal(form.status, 400)
    assert.match(form.body.message, /application\/json/)
  },
)

proves('requestId.echo', 'a sane X-Request-Id of the caller is kept, another is replaced', async () => {
  const kept = await team.call('GET /v2/teams', { headers: { 'x-request-id': 'abc-123' } })
  assert.equal(kept.headers['x-request-id'], 'abc-123')
  const replaced = await team.call('GET /v2/teams', { headers: { 'x-request-id': 'a b\tc' } })
  assert.match(replaced.headers['x-request-id']!, /^[0-9a-f-]{36}$/)
})
