// Waits for runs over MCP: they count among the live streams of their credential, team and process.
import assert from 'node:assert/strict'
import { endRun, seedRunningRun } from '../../../test/kit/followedRuns.ts'
import { callTool } from '../../../test/kit/mcp.ts'
import { seeders, seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { newId } from '../../base/ids.ts'
import { openStreamsOf } from '../../kit/openStreams.ts'
import { proves } from '../../../test/kit/proves.ts'

proves(
  'pools.streams',
  'a wait for a run holds a place among the streams of its team, past which it is refused',
  async () => {
    const service = await testApp({ config: { streamsMax: 2, streamsOfKeyMax: 2, teamShare: 50 } })
    const { context } = service
    const [noisy, quiet] = [await seedTeam(service), await seedTeam(service)]
    for (const team of [noisy, quiet]) await seeders['agent']!(team, {})
    const [loud, calm] = [await seedRunningRun(noisy), await seedRunningRun(quiet)]
    const hasPlace = () => {
      try {
        openStreamsOf(context).reserve({ team_id: noisy.id, credential: { id: newId() } as never })()
        return true
      } catch {
        return false
      }
    }
    const waiting = callTool(noisy, 'waitForRun', { run_id: loud, wait_seconds: 50 })
    while (hasPlace()) await context.db.sql`select pg_sleep(0.01)`
    const { isError, value } = await callTool(noisy, 'waitForRun', { run_id: loud, wait_seconds: 50 })
    assert.deepEqual([isError, value.error], [true, 'rate_limited'])
    await endRun(context.db, calm)
    assert.equal((await callTool(quiet, 'waitForRun', { run_id: calm, wait_seconds: 50 })).value.has_ended, true)
    await endRun(context.db, loud)
    assert.equal((await waiting).value.has_ended, true)
    assert.ok(hasPlace())
  },
)
