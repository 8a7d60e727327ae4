// What a process knows of the guardrails of teams: also after it did nothing for a long time.
import assert from 'node:assert/strict'
import { proves } from '../../../test/kit/proves.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { versionsSince } from './liveRules.ts'

const service = await testApp()
const { sql } = service.context.db

proves('guardrails.known', 'who read last two hours ago finds a version that was made an hour ago', async () => {
  const team = await seedTeam(service)
  for (const runs_per_day of [10, 20])
    await team.call('PUT /v2/teams/:teamId/guardrails', { body: { rules: { runs_per_day } } })
  await sql`update guardrails set created_at = now() - interval '1 hour' where team_id = ${team.id}`
  const [{ long } = { long: '' }] = await sql<{ long: string }>`select (now() - interval '2 hours')::text as long`
  const versionOf = (read: Awaited<ReturnType<typeof versionsSince>>) =>
    read.versions.find(({ team_id }) => team_id === team.id)?.version
  const late = await versionsSince(sql, long)
  assert.equal(versionOf(late), 2)
  assert.equal(versionOf(await versionsSince(sql, undefined)), 2)
  assert.equal(versionOf(await versionsSince(sql, late.until)), undefined)
})
