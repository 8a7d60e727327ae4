// Ended runs of several teams that wait for their evaluation: they are taken in turns.
import assert from 'node:assert/strict'
import { suite } from 'node:test'
import { drainRuns, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { newId } from '../../base/ids.ts'
import { claimEnded, evaluateEnded } from './evaluateEnded.ts'
import { proves } from '../../../test/kit/proves.ts'

const service = await testApp()
const { db } = service.context

/** Ends of runs that do not exist: evaluating one removes it, like any other. */
const wait = (teamId: string, count: number) => db.sql`
  insert into runs_to_evaluate (run_id, team_id) select gen_random_uuid(), ${teamId} from generate_series(1, ${count}::int)`

suite('ended runs that wait for their evaluation', () => {
  proves(
    'pools.evaluations',
    'one run of a quiet team is evaluated in the next transaction, behind ten thousand of another',
    async () => {
      await wait(newId(), 10_000)
      const quiet = await seedTeam(service)
      const agentId = await seedAgent(quiet, '```output\ndone\n```\n')
      const runId = await startRun(quiet, agentId)
      await drainRuns(service)
      assert.ok((await evaluateEnded(service.context)) > 1)
      const { body } = await quiet.call(`GET /v2/agent/${agentId}/runs/${runId}/evaluation`)
      assert.equal(body.data?.status, 'ready')
      await db.sql`delete from runs_to_evaluate`
    },
  )

  proves(
    'pools.evaluations',
    'long logs of one team leave room for the run of another in the same transaction',
    async () => {
      const [noisy, quiet] = [await seedTeam(service), await seedTeam(service)]
      const procedure = '```output\ndone\n```\n'
      const [loud, calm] = [await seedAgent(noisy, procedure), await seedAgent(quiet, procedure)]
      await Promise.all(Array.from({ length: 12 }, () => startRun(noisy, loud)))
      const runId = await startRun(quiet, calm)
      await drainRuns(service)
      // this pretends that each has 5,000 messages: four of them fill a transaction
      await db.sql`update runs set message_seq = 5000 where agent_id = ${loud}`
      await evaluateEnded(service.context)
      const { body } = await quiet.call(`GET /v2/agent/${calm}/runs/${runId}/evaluation`)
      assert.equal(body.data?.status, 'ready')
      await db.sql`delete from runs_to_evaluate`
    },
  )

  proves(
    'pools.evaluations',
    'a transaction takes as many of each team, all of a team that is alone, and none that another holds',
    async () => {
      const [first, second] = [newId(), newId()]
      const taken = async (max: number) => {
        const due = await db.transaction((sql) => claimEnded(sql, max))
        return [first, second].map((team) => due.filter(({ team_id }) => team_id === team).length)
      }
      await wait(first, 60)
      assert.deepEqual(await taken(50), [50, 0])
      await wait(second, 60)
      assert.deepEqual(await taken(50), [25, 25])
      await db.transaction(async (sql) => {
        await sql`select from runs_to_evaluate where team_id = ${first} for update`
        assert.deepEqual(await taken(50), [0, 25])
      })
      const [plan] = await db.transaction(async (sql) => {
        await wait(first, 20_000)
        await sql`analyze runs_to_evaluate`
        return plansOf(sql)
      })
      assert.doesNotMatch(plan!, /Seq Scan on runs_to_evaluate/)
    },
  )
})

/** The plans of the claiming statement, as the server makes them. */
async function plansOf(sql: typeof db.sql): Promise<string[]> {
  const plans: string[] = []
  await claimEnded(async (strings, ...values) => {
    const [head, ...rest] = strings
    const explain = Object.assign([`explain (costs off) ${head}`, ...rest], { raw: strings.raw })
    const rows = await sql<{ 'QUERY PLAN': string }>(explain, ...values)
    plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'))
    return []
  }, 100)
  return plans
}
