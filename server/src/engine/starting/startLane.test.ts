// Starts that share a commit: one that waits for its team's own limit holds up no other.
import assert from 'node:assert/strict'
import { lockedLimit } from '../../../test/kit/lockedLimit.ts'
import { seedAgent } from '../../../test/kit/runs.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { setEntitlement } from '../counting/setEntitlement.ts'
import { engineOf } from '../engine.ts'
import type { Sql } from '../../base/db.ts'
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
