// Judgements of several teams: those that wait are taken in turns, and a process leaves out a team that holds its share.
import assert from 'node:assert/strict'
import { newId } from '../../base/ids.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { claimJudgements, usualTimes } from './heldJudgement.ts'
import { proves } from '../../../test/kit/proves.ts'

proves(
  'pools.judgements',
  'of judgements that are due the team with the fewest under way goes first, and one at its share is left out',
  async () => {
    const { context } = await testApp()
    const { sql } = context.db
    const [noisy, quiet] = [newId(), newId()]
    const wait = (team: string, count: number) => sql`
    with made as (
      insert into evaluations (id, team_id, agent_id, build_id, run_id, source, status, run_ended_at)
      select gen_random_uuid(), ${team}, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'run_end', 'in_progress', now()
      from generate_series(1, ${count}::int) returning id, team_id, run_id)
    insert into judgements (evaluation_id, team_id, run_id, due_at) select id, team_id, run_id, now() - interval '1 minute' from made`
    await wait(noisy, 30)
    const claim = async (full: string[] = []) => {
      const [held] = await claimJudgements(sql, 1, usualTimes, full)
      return held && (held.team_id === quiet ? 'quiet' : 'noisy')
    }
    assert.deepEqual([await claim(), await claim()], ['noisy', 'noisy'])
    await wait(quiet, 2)
    assert.deepEqual([await claim(), await claim(), await claim()], ['quiet', 'quiet', 'noisy'])
    assert.equal(await claim([noisy]), undefined)
  },
)
