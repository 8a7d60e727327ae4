// What a list shows beside each run: one case for every status that has something to show.
import assert from 'node:assert/strict'
import { proves } from '../../../test/kit/proves.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { insertRun, insertStep, type RunRow } from '../../../test/kit/seedRuns.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { newId } from '../../base/ids.ts'

const service = await testApp()

proves(
  'runs.listedDetails',
  'each run has its build and what its status has to tell, and nothing of other teams',
  async () => {
    const team = await seedTeam(service)
    const { body: agent } = await team.call('POST /v2/teams/:teamId/agents', { body: { name: 'Triage' } })
    const runIn = (row: Omit<RunRow, 'team_id' | 'agent_id' | 'build_id'>) =>
      insertRun(team.sql, { team_id: team.id, agent_id: agent.agent_id, build_id: agent.build_id, ...row })

    const running = await runIn({ status: 'running' })
    await insertStep(team.sql, { run_id: running, seq: 1, kind: 'tool', tool: 'mail_read', state: 'done' })
    await insertStep(team.sql, { run_id: running, seq: 2, kind: 'tool', tool: 'mail_label', state: 'intent' })
    const between = await runIn({ status: 'running' })
    const waiting = await runIn({ status: 'waiting' })
    await team.sql`
      insert into human_requests (id, team_id, run_id, step, type, title, on_timeout, status)
      values (${newId()}, ${team.id}, ${waiting}, 1, 'approval', 'Pay it?', 'fail', 'pending')`
    await team.sql`
      insert into admission (team_id, places, held, in_line) values (${team.id}, 2, 2, 1)
      on conflict (team_id) do update set places = 2, held = 2, in_line = 1`
    const pending = await runIn({ status: 'pending', queued_at: new Date() })
    const stopped = await runIn({ status: 'waiting', waiting_on: { kind: 'time', since: new Date(), detail: {} } })
    await team.call(`POST /v2/runs/${stopped}/stop`)

    const all = [running, between, waiting, pending, stopped]
    const ids = [...all, newId(), 'nothing'].join(',')
    const { body } = await team.call(`GET /v2/teams/:teamId/run-details?run_ids=${ids}`)
    assert.deepEqual(
      body.run_details.map(({ run_id }: { run_id: string }) => run_id),
      all.toReversed(),
    )
    const foreign = await (await seedTeam(service)).call(`GET /v2/teams/:teamId/run-details?run_ids=${ids}`)
    assert.deepEqual(foreign.body, { run_details: [] })
    const detailsOf = (id: string) => body.run_details.find(({ run_id }: { run_id: string }) => run_id === id)
    const { seq, kind, name } = detailsOf(running).step
    assert.deepEqual([seq, kind, name, detailsOf(running).build_number], [2, 'tool', 'mail_label', 1])
    assert.equal(detailsOf(between).step, null)
    assert.deepEqual(
      [detailsOf(waiting).human_request.type, detailsOf(waiting).human_request.title],
      ['approval', 'Pay it?'],
    )
    const { line } = detailsOf(pending)
    assert.deepEqual([line.places_held, line.places_total, line.agent_places_total], [2, 2, null])
    assert.equal(detailsOf(running).line, null)
    assert.deepEqual(detailsOf(stopped).stopped_by, { reason: 'member', name: 'Tester' })
    assert.equal(detailsOf(pending).stopped_by, null)
  },
)
