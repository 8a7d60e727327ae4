// A tick that takes minutes, by a clock that the test moves.
import assert from 'node:assert/strict'
import { proves } from '../../../test/kit/proves.ts'
import { seedAgent } from '../../../test/kit/runs.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import type { Context } from '../../kit/context.ts'
import { fireSchedules } from './fireSchedules.ts'

const service = await testApp()

proves(
  'schedules.retried',
  'a schedule that came due while another one was tried for minutes fires after it',
  async (t) => {
    const { context } = service
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, '```output\ndone\n```\n')
    const seeded = async () => {
      const body = { frequency: 'monthly', time: '09:00', day_of_month: 1, catch_up: 'none' }
      const { body: made } = await team.call(`POST /v2/agents/${agentId}/schedules`, { body })
      return made.id as string
    }
    const [slow, behind] = [await seeded(), await seeded()]
    const makeDue = (id: string, ago: string) => team.sql`
    update schedules set next_run_at = now() - ${ago}::interval where id = ${id} and team_id = ${team.id}`
    await makeDue(slow, '1 second')
    const real = performance.now.bind(performance)
    let skewMs = 0
    t.mock.method(performance, 'now', () => real() + skewMs)
    const slowly: Context = {
      ...context,
      db: {
        ...context.db,
        transaction: (work) =>
          context.db.transaction(async (sql) => {
            const result = await work(sql)
            if (skewMs < 300_000) {
              skewMs += 150_000
              await makeDue(behind, '2 minutes')
              throw new Error('it took too long')
            }
            return result
          }),
      },
    }
    await fireSchedules({ context: slowly, signal: new AbortController().signal })
    const rows = await team.sql<{ id: string; has_run: boolean; is_to_retry: boolean }>`
    select id, last_run_id is not null as has_run, retry_at > now() as is_to_retry from schedules where team_id = ${team.id}`
    assert.deepEqual(
      [rows.find(({ id }) => id === slow)?.is_to_retry, rows.find(({ id }) => id === behind)?.has_run],
      [true, true],
    )
  },
)
