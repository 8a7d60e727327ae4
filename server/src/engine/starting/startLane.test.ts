// Starts that share a commit: one that waits for its team's own limit, or has a large message, holds up no other.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { lockedLimit } from '../../../test/kit/lockedLimit.ts'
import { seedAgent } from '../../../test/kit/runs.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { setEntitlement } from '../counting/setEntitlement.ts'
import { engineOf } from '../engine.ts'
import type { Sql } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { proves } from '../../../test/kit/proves.ts'

const service = await testApp()
const { db } = service.context

proves(
  'runs.limitLocked',
  'a start that needs the limit of its team waits until its row is free, and no other start waits for it',
  async () => {
    const [limited, other] = [await seedTeam(service), await seedTeam(service)]
    const agents = [await seedAgent(limited, '```output\nx\n```\n'), await seedAgent(other, '```output\nx\n```\n')]
    await setEntitlement(db.sql, limited.id, 'storage_bytes', '1000000')
    const { entitlements } = engineOf(service.context)
    while (!entitlements.has(limited.id, 'storage_bytes')) await Promise.all([entitlements.refresh(), db.sql`select`])
    const { free } = await lockedLimit(db, limited.id)
    const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>()
    const impatient = { ...db }
    db.transaction = (work) =>
      impatient.transaction(async (sql) => {
        await sql`set local lock_timeout = 0`
        return work(((...args: Parameters<Sql>) => {
          const answer = sql(...args)
          if (args[0].join('').includes('from entitlements where')) asked()
          return answer
        }) as Sql)
      })
    const start = (team: typeof limited, agentId: string | undefined, message: string) =>
      team.call('POST /v2/teams/:teamId/runs', { body: { agent_id: agentId, message } })
    let waits = true
    const large = start(limited, agents[0], 'x'.repeat(70_000)).finally(() => (waits = false))
    await isAsked
    const made = await Promise.all([start(other, agents[1], 'small'), start(limited, agents[0], 'small')])
    assert.deepEqual([made.map(({ status }) => status), waits], [[201, 201], true])
    await free()
    assert.equal((await large).status, 201)
  },
)

proves('runs.largeApart', 'a start whose large message must wait holds up no start of another team', async () => {
  const [large, other] = [await seedTeam(service), await seedTeam(service)]
  const agents = [await seedAgent(large, '```output\nx\n```\n'), await seedAgent(other, '```output\nx\n```\n')]
  const message = 'y'.repeat(70_000)
  const sha256 = createHash('sha256').update(message).digest('hex')
  const [inserted, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  // somebody stores the same text, and has not decided yet: whoever wants it waits
  const undecided = db
    .transaction(async (sql) => {
      await sql`insert into blobs (id, sha256, size_bytes) values (${newId()}, decode(${sha256}, 'hex'), 70000)`
      inserted.resolve()
      await free.promise
      throw new Error('it is not stored')
    })
    .catch((error: Error) => error.message)
  await inserted.promise
  const start = (team: typeof large, agentId: string | undefined, text: string) =>
    team.call('POST /v2/teams/:teamId/runs', { body: { agent_id: agentId, message: text } })
  let waits = true
  const first = start(large, agents[0], message).finally(() => (waits = false))
  while (!(await isWaiting())) await db.sql`select`
  const { status } = await start(other, agents[1], 'small')
  assert.deepEqual([status, waits], [201, true])
  free.resolve()
  assert.equal(await undecided, 'it is not stored')
  assert.equal((await first).status, 201)
})

async function isWaiting(): Promise<boolean> {
  const [row] = await db.sql<{ waits: boolean }>`
    select exists (select from pg_locks where not granted and locktype = 'transactionid') as waits`
  return row!.waits
}
