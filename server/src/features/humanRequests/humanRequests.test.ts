// People in the loop as callers meet them: answers, races, the inbox, and what is taken back.
import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { newId } from '../../base/ids.ts'
import type { Operation } from '../../kit/operation.ts'
import { handled, plansOn } from '../../../test/kit/plans.ts'
import { drainRuns, readEvents, readRun, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seeders, seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { seedColleague } from '../../../test/kit/cases.ts'
import type { HumanRequest } from '../../engine/requests/humanRequests.ts'
import { withRuns } from './inboxRequest.ts'
import { proves } from '../../../test/kit/proves.ts'
import { getHumanRequestCounts } from './getHumanRequestCounts.ts'
import { listHumanRequests } from './listHumanRequests.ts'

const service = await testApp()
const { sql } = service.context.db

const block = (word: string, body: string) => `\`\`\`${word}\n${body}\n\`\`\`\n`

/** A run of this procedure, driven until it waits, and what it asks. */
async function asking(team: TestTeam, procedure: string) {
  const runId = await startRun(team, await seedAgent(team, procedure))
  await drainRuns(service)
  const { body } = await team.call(`GET /v2/runs/${runId}`)
  assert.equal(body.status, 'waiting', JSON.stringify(body.run))
  const request = body.pending_human_request
  return { runId, request, path: `/v2/runs/${runId}/human-requests/${request.id}` }
}

const idsOf = (body: { human_requests: { id: string }[] }) => body.human_requests.map(({ id }) => id)

const expire = (id: string, at: string) => sql`update human_requests set expires_at = ${at} where id = ${id}`

const respond = (team: TestTeam, path: string, body: object) => team.call(`POST ${path}/respond`, { body })

describe('an answer', () => {
  proves(
    'humanRequests.respond',
    'of each type is checked, stored with who gave it, announced once, and taken up by the run',
    async () => {
      const team = await seedTeam(service)
      const form = '{"type": "object", "required": ["amount"], "properties": {"amount": {"type": "number"}}}'
      const cases = [
        {
          procedure: `${block('approve id=it', 'Pay?')}\n${block('output', 'approved {{ steps.it.output.approved }}')}`,
          bad: { answers: {} },
          good: { approved: true, comment: 'Go.' },
          output: 'approved true',
        },
        {
          procedure: `${block('ask id=it', 'Which one?\n- First\n- Second')}\n${block('output', '{{ answers["Which one?"] }}')}`,
          bad: { answers: { 'Which one?': 'Third' } },
          good: { answers: { 'Which one?': 'Second' } },
          output: 'Second',
        },
        {
          procedure: `${block('ask id=it', `Fill it in\n${form}`)}\n${block('output', '{{ steps.it.output.values.amount }}')}`,
          bad: { values: { amount: 'much' } },
          good: { values: { amount: 7 } },
          output: 7,
        },
        {
          procedure: `${block('tool id=it name=human_login', '{"title": "Log in at the bank"}')}\n${block('output', 'in {{ steps.it.output.done }}')}`,
          bad: {},
          good: { done: true },
          output: 'in true',
        },
      ]
      for (const { procedure, bad, good, output } of cases) {
        const { runId, request, path } = await asking(team, procedure)
        const refused = await respond(team, path, bad)
        assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_request'], refused.text)
        const answer = await respond(team, path, good)
        assert.deepEqual([answer.status, answer.body.status], [200, 'waiting'], answer.text)
        assert.deepEqual([answer.body.request_id, answer.body.run_id], [request.id, runId])
        const { human_request } = answer.body
        assert.deepEqual([human_request.status, human_request.responded_by], ['responded', team.memberId])
        assert.deepEqual(human_request.response, good)
        await drainRuns(service)
        assert.deepEqual((await readRun(team, runId)).output, output)
        const told = (await readEvents(service, runId)).filter(({ event }) => event === 'human_request.responded')
        assert.deepEqual(
          told.map(({ data }) => data.human_request),
          [human_request],
        )
        assert.equal((await respond(team, path, good)).body.error, 'human_request_closed')
      }
    },
  )

  proves(
    'humanRequests.race',
    'counts once, however many race for it: one 200, the others 409, one event, no gap in the numbers',
    async () => {
      const team = await seedTeam(service)
      const { runId, path } = await asking(team, `${block('approve', 'Pay?')}\n${block('output', 'paid')}`)
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, n) => respond(team, path, { approved: n % 2 === 0, comment: `${n}` })),
      )
      const done = answers.filter(({ status }) => status === 200)
      assert.equal(done.length, 1)
      const others = answers.filter(({ status }) => status !== 200)
      assert.ok(others.every(({ status, body }) => status === 409 && body.error === 'human_request_closed'))
      const told = (await readEvents(service, runId)).filter(({ event }) => event === 'human_request.responded')
      assert.equal(told.length, 1)
      assert.deepEqual(told[0]!.data.human_request, done[0]!.body.human_request)
      await drainRuns(service)
      assert.ok(['completed', 'failed'].includes((await readRun(team, runId)).status))
    },
  )

  proves('humanRequests.actionHash', 'is bound to the action that was shown, when it names it', async () => {
    const team = await seedTeam(service)
    const { path, request } = await asking(team, block('approve', 'Pay?'))
    const other = await respond(team, path, { approved: true, action_hash: 'b'.repeat(64) })
    assert.deepEqual([other.status, other.body.error], [409, 'conflict'])
    assert.match(other.body.message, /not the one that waits/)
    const answer = await respond(team, path, { approved: true, action_hash: request.action.hash })
    assert.equal(answer.status, 200)
  })

  proves(
    'humanRequests.closed',
    'comes too late once the time of the request is over, or it was stopped with its run',
    async () => {
      const team = await seedTeam(service)
      const late = await asking(team, block('approve', 'Pay?'))
      await sql`update human_requests set expires_at = now() - interval '1 second' where id = ${late.request.id}`
      assert.equal((await respond(team, late.path, { approved: true })).body.error, 'human_request_closed')
      const stopped = await asking(team, block('approve', 'Pay?'))
      await team.call(`POST /v2/runs/${stopped.runId}/stop`)
      assert.equal((await respond(team, stopped.path, { approved: true })).body.error, 'human_request_closed')
      const [row] = await sql`select status, response from human_requests where id = ${stopped.request.id}`
      assert.deepEqual(row, { status: 'cancelled', response: null })
      await sql`update human_requests set status = 'pending' where id = ${stopped.request.id}`
      const left = await respond(team, stopped.path, { approved: true })
      assert.deepEqual([left.status, left.body.error], [409, 'human_request_closed'])
    },
  )

  proves('humanRequests.parent', 'goes to a request of the very run in the path', async () => {
    const team = await seedTeam(service)
    const one = await asking(team, block('approve', 'Pay?'))
    const other = await asking(team, block('approve', 'Pay?'))
    const wrong = `/v2/runs/${one.runId}/human-requests/${other.request.id}`
    for (const verb of ['respond', 'cancel', 'assign']) {
      const body = { approved: true, assignee_user_id: null }
      assert.equal((await team.call(`POST ${wrong}/${verb}`, { body })).status, 404)
    }
  })

  proves(
    'humanRequests.brokenForm',
    'to a form that cannot be used is refused with the way out, and the agent hears of such a form at once',
    async () => {
      const team = await seedTeam(service)
      const { path, request } = await asking(team, block('ask', 'Fill it in\n{"type": "object"}'))
      const broken = { type: 'object', properties: { a: { type: 'string', pattern: '[' } } }
      await sql`update human_requests set form_schema = ${JSON.stringify(broken)}::jsonb where id = ${request.id}`
      const refused = await respond(team, path, { values: { a: 'x' } })
      assert.deepEqual([refused.status, refused.body.error], [409, 'conflict'])
      assert.match(refused.body.message, /Cancel the request/)
      const given = await seedAgent(
        team,
        block('tool name=human_ask', '{"title": "Fill it in", "form_schema": {{ message }}}'),
      )
      const runId = await startRun(team, given, { message: broken })
      await drainRuns(service)
      assert.match((await readRun(team, runId)).error.message, /form_schema cannot be used: .*character class/)
    },
  )
})

proves(
  'humanRequests.cancel',
  'a cancelled request gives its call an error, and the run continues, without an event',
  async () => {
    const team = await seedTeam(service)
    const procedure = `${block('approve id=it on_error=continue', 'Pay?')}\n${block('output', '{{ steps.it.error }}')}`
    const { runId, request, path } = await asking(team, procedure)
    const { status, body } = await team.call(`POST ${path}/cancel`)
    assert.deepEqual([status, body.human_request.status, body.request_id], [200, 'cancelled', request.id])
    assert.equal((await team.call(`POST ${path}/cancel`)).body.error, 'human_request_closed')
    await drainRuns(service)
    assert.match((await readRun(team, runId)).output, /cancelled/)
    const told = (await readEvents(service, runId)).filter(({ event }) => event === 'human_request.responded')
    assert.equal(told.length, 0)
  },
)

describe('the inbox', () => {
  proves('inbox.list', 'shows what waits, longest first, and what is closed, newest first', async () => {
    const team = await seedTeam(service)
    const ids: string[] = []
    for (let n = 0; n < 4; n++) ids.push(await seeders['request']!(team, {}))
    await seeders['request']!(await seedTeam(service), {})
    const list = async (query = '') => (await team.call(`GET /v2/teams/:teamId/human-requests${query}`)).body
    assert.deepEqual(idsOf(await list()), ids)
    const page = await list('?limit=2&offset=1')
    assert.deepEqual([idsOf(page), page.total, page.limit, page.offset], [[ids[1], ids[2]], 4, 2, 1])
    for (const id of ids.slice(0, 2)) await sql`update human_requests set status = 'responded' where id = ${id}`
    assert.deepEqual(idsOf(await list()), [ids[2], ids[3]])
    assert.deepEqual(idsOf(await list('?status=responded')), [ids[1], ids[0]])
    assert.deepEqual(idsOf(await list('?status=all')), ids.toReversed())
    await sql`update human_requests set responded_at = now() - interval '1 minute' where id = ${ids[1]}`
    await sql`update human_requests set responded_at = now() where id = ${ids[0]}`
    assert.deepEqual(idsOf(await list('?status=closed')), [ids[0], ids[1]])
    assert.equal((await list('?status=expired')).total, 0)
    assert.equal((await team.call('GET /v2/teams/:teamId/human-requests?status=open')).status, 400)
  })

  proves(
    'inbox.deadline',
    'can be sorted by deadline: the closest first, then the longest waiting, then those without one',
    async () => {
      const team = await seedTeam(service)
      const ids: string[] = []
      for (let n = 0; n < 5; n++) ids.push(await seeders['request']!(team, {}))
      await expire(ids[3]!, '2100-01-01T00:00:00Z')
      await expire(ids[1]!, '2100-01-02T00:00:00Z')
      await expire(ids[4]!, '2100-01-02T00:00:00Z')
      const list = async (query: string) => (await team.call(`GET /v2/teams/:teamId/human-requests?${query}`)).body
      const sorted = [3, 1, 4, 0, 2].map((n) => ids[n])
      assert.deepEqual(idsOf(await list('sort=deadline')), sorted)
      assert.deepEqual(idsOf(await list('sort=deadline&limit=2&offset=1')), sorted.slice(1, 3))
      assert.deepEqual(idsOf(await list('sort=age')), ids)
      assert.equal((await team.call('GET /v2/teams/:teamId/human-requests?sort=title')).status, 400)
      const ended = await team.call('GET /v2/teams/:teamId/human-requests?sort=deadline&status=all')
      assert.deepEqual([ended.status, ended.body.error], [400, 'invalid_request'])
      assert.match(ended.body.message, /Only pending requests/)
    },
  )

  proves(
    'inbox.deadline',
    'pages and counts come from indexes of the team, a page by deadline in its order',
    async () => {
      const [team, other] = [await seedTeam(service), await seedTeam(service)]
      await sql`
      insert into human_requests (id, team_id, run_id, step, type, title, expires_at)
      select gen_random_uuid(), case when n % 10 = 0 then ${team.id}::uuid else ${other.id}::uuid end, gen_random_uuid(), 1, 'approval', 'Pay?',
        now() + n * interval '1 minute'
      from generate_series(1, 6000) n`
      await service.context.db.pool.query('analyze human_requests')
      const { context } = service
      const plansOf = await plansOn(context.db)
      const explain = (operation: Operation, query = {}) =>
        plansOf((explained) =>
          handled(operation, { sql: explained, team, context, query: { ...query, limit: 50, offset: 0 } }),
        )
      const byDeadline = await explain(listHumanRequests, { status: 'pending', sort: 'deadline' })
      assert.match(byDeadline[0]!, /Limit\n\s+->  Index Scan using human_requests_by_deadline/)
      const all = await explain(listHumanRequests, { status: 'all', sort: 'age' })
      assert.match(all[0]!, /Limit\n\s+->  Index Scan using human_requests_by_team_all/)
      await sql`
        insert into human_requests (id, team_id, run_id, step, type, title, status, responded_at)
        select gen_random_uuid(), ${team.id}::uuid, gen_random_uuid(), 1, 'approval', 'Pay?', 'responded', now() - n * interval '1 minute'
        from generate_series(1, 5000) n`
      await service.context.db.pool.query('analyze human_requests')
      const closed = await explain(listHumanRequests, { status: 'closed' })
      assert.match(closed[0]!, /Limit\n\s+->  Index Scan using human_requests_closed/)
      const ofAgent = await explain(listHumanRequests, { status: 'pending', sort: 'deadline', agent_id: newId() })
      const counts = await explain(getHumanRequestCounts)
      for (const plan of [...byDeadline, ...all, ...closed, ...ofAgent, ...counts]) {
        assert.doesNotMatch(plan, /Seq Scan on human_requests\b/)
        for (const [, condition] of plan.matchAll(/ using \w+ on human_requests\b.*\n\s+(.*)/g)) {
          assert.match(condition!, /^(Index|Recheck) Cond: \(+(team_id = |id = sized\.id|id = page\.id)/, plan)
        }
      }
    },
  )

  proves('inbox.run', 'shows beside each request what asks it, and gives one by its id alone', async () => {
    const team = await seedTeam(service)
    const { runId, request } = await asking(team, `${block('memory path=a.md', 'x')}\n${block('approve', 'Pay?')}`)
    await sql`update runs set case_id = ${newId()}, case_title = 'RF-2291' where id = ${runId}`
    const { run } = (await team.call(`GET /v2/runs/${runId}`)).body
    assert.equal(request.step, 2)
    const [listed] = (await team.call('GET /v2/teams/:teamId/human-requests')).body.human_requests
    const { run: asks, consequences, ...plain } = listed
    assert.deepEqual(plain, request)
    assert.deepEqual(asks, {
      id: runId,
      run_number: run.run_number,
      title: run.title,
      agent_id: run.agent_id,
      agent_name: 'Tested',
      build_id: run.build_id,
      revision_number: 1,
      case_id: run.case_id,
      case_title: 'RF-2291',
    })
    const { status, body } = await team.call(`GET /v2/human-requests/${request.id}`)
    assert.equal(status, 200)
    assert.deepEqual(body, { human_request: listed, request_id: request.id, run_id: runId, status: 'waiting' })
    assert.deepEqual(
      consequences.map(({ answer }: { answer: string }) => answer),
      ['approve', 'reject', 'cancel'],
    )
    const told = (await readEvents(service, runId)).find(({ event }) => event === 'human_request.created')
    assert.equal(told!.data.human_request.step, 2)
  })

  proves('inbox.run', 'reads the runs of a page by their keys', async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, 'Nothing.')
    await sql`
      insert into runs (id, team_id, agent_id, build_id, run_number, source, title, limits, status, completed_at)
      select gen_random_uuid(), ${team.id}, ${agentId}, (select id from builds where agent_id = ${agentId}), nextval('run_numbers'), 'api', 'Seeded',
        '{}', 'completed', now() from generate_series(1, 20000)`
    await sql`
      insert into human_requests (id, team_id, run_id, step, type, title)
      select gen_random_uuid(), team_id, id, 1, 'approval', 'Pay?' from runs where team_id = ${team.id} limit 5000`
    await service.context.db.pool.query('analyze runs, human_requests')
    const plan = await plansOn(service.context.db)
    const requests = await sql<HumanRequest>`select * from human_requests where team_id = ${team.id} limit 200`
    for (const one of await plan((on) => withRuns(on, team.id, requests))) {
      assert.match(one, /Index Scan (using|on) runs_pkey/)
      assert.doesNotMatch(one, /Seq Scan on (runs|human_requests)/)
    }
  })

  proves('inbox.run', 'lets an operator see the names of members and assign to them', async () => {
    const team = await seedTeam(service)
    const operator = await seedColleague(team, 'Night shift', ['*'])
    const { path } = await asking(team, block('approve', 'Pay?'))
    const { status, body } = await operator.call('GET /v2/teams/:teamId/members')
    assert.equal(status, 200)
    assert.deepEqual(
      body.members.map(({ name, role }: { name: string; role: string }) => [name, role]),
      [
        ['Tester', 'admin'],
        ['Night shift', 'operator'],
      ],
    )
    const given = await operator.call(`POST ${path}/assign`, { body: { assignee_user_id: body.members[0].id } })
    assert.equal(given.status, 200)
  })

  proves('inbox.consequences', 'says what each answer leads to, and what happens is that', async () => {
    const team = await seedTeam(service)
    const wordsOf = async (id: string) => {
      const { human_request } = (await team.call(`GET /v2/human-requests/${id}`)).body
      const rows = human_request.consequences as { answer: string; leads_to: string }[]
      return new Map(rows.map(({ answer, leads_to }) => [answer, leads_to]))
    }
    const approvals = { memory_write: 'always' }
    const procedure = `${block('memory path=a.md id=it on_error=continue', 'x')}\n${block('output', '{{ steps.it.error }}')}`
    const runId = await startRun(team, await seedAgent(team, procedure, { approvals }))
    await drainRuns(service)
    const { pending_human_request: request } = (await team.call(`GET /v2/runs/${runId}`)).body
    const words = await wordsOf(request.id)
    assert.match(words.get('approve')!, /^The call is made once\. If it is no longer the call/)
    assert.match(words.get('reject')!, /not made.*your comment/)
    await respond(team, `/v2/runs/${runId}/human-requests/${request.id}`, { approved: false, comment: 'Too much.' })
    await drainRuns(service)
    assert.match((await readRun(team, runId)).output, /refused.*Too much\./)
    assert.deepEqual(await wordsOf(request.id), new Map(), 'of a closed request nothing follows')

    const timed = await asking(team, block('approve timeout=1h on_timeout=reject', 'Pay?'))
    assert.equal((await wordsOf(timed.request.id)).get('no_answer'), 'It counts as rejected.')
    const asked = await asking(team, block('ask', 'Which one?\n- First\n- Second'))
    assert.deepEqual([...(await wordsOf(asked.request.id)).keys()], ['answer', 'cancel'])
  })

  proves('inbox.agent', 'can be narrowed to what one agent asks, while it waits', async () => {
    const team = await seedTeam(service)
    const { request } = await asking(team, block('approve', 'Pay?'))
    await asking(team, block('approve', 'Send?'))
    const list = async (query: string) => (await team.call(`GET /v2/teams/:teamId/human-requests?${query}`)).body
    const [first] = (await list('')).human_requests
    const page = await list(`agent_id=${first.run.agent_id}`)
    assert.deepEqual([idsOf(page), page.total], [[request.id], 1])
    assert.equal((await list('agent_id=nobody')).total, 0)
    assert.match((await list(`agent_id=${first.run.agent_id}&status=closed`)).message, /Only pending requests/)
  })

  proves('inbox.counts', 'counts what is open by type and by whom it is assigned to', async () => {
    const team = await seedTeam(service)
    const counts = async () => (await team.call('GET /v2/teams/:teamId/human-request-counts')).body
    const none = { approval: 0, question: 0, form: 0, login: 0 }
    const nothing = {
      total: 0,
      by_type: none,
      assigned_to_me: 0,
      unassigned: 0,
      oldest_at: null,
      next_deadline_at: null,
    }
    assert.deepEqual(await counts(), nothing)
    const ids: string[] = []
    for (let n = 0; n < 4; n++) ids.push(await seeders['request']!(team, {}))
    await seeders['request']!(await seedTeam(service), {})
    await sql`update human_requests set type = 'question', assignee_user_id = ${team.memberId} where id = ${ids[1]}`
    await sql`update human_requests set expires_at = '2100-01-01T00:00:00Z', assignee_user_id = ${newId()} where id = ${ids[2]}`
    await sql`update human_requests set status = 'responded' where id = ${ids[3]}`
    const { oldest_at, ...rest } = await counts()
    assert.deepEqual(rest, {
      total: 3,
      by_type: { ...none, approval: 2, question: 1 },
      assigned_to_me: 1,
      unassigned: 1,
      next_deadline_at: '2100-01-01T00:00:00.000Z',
    })
    assert.match(oldest_at, /Z$/)
  })

  proves(
    'inbox.assign',
    'can be narrowed to what is mine, another’s or nobody’s, as requests are given and taken back',
    async () => {
      const team = await seedTeam(service)
      const other = await seeders['member']!(team, {})
      const [mine, theirs, nobodys] = [
        await asking(team, block('approve', 'Mine?')),
        await asking(team, block('approve', 'Theirs?')),
        await asking(team, block('approve', 'Whose?')),
      ]
      const assign = (path: string, id: unknown) => team.call(`POST ${path}/assign`, { body: { assignee_user_id: id } })
      const given = await assign(mine.path, team.memberId)
      assert.deepEqual([given.status, given.body.human_request.assignee_user_id], [200, team.memberId])
      assert.equal((await assign(theirs.path, other)).status, 200)
      const titles = async (assignee: string) => {
        const { body } = await team.call(`GET /v2/teams/:teamId/human-requests?assignee_user_id=${assignee}`)
        return body.human_requests.map(({ title }: { title: string }) => title)
      }
      assert.deepEqual(await titles('me'), ['Mine?'])
      assert.deepEqual(await titles(other), ['Theirs?'])
      assert.deepEqual(await titles('none'), ['Whose?'])
      assert.deepEqual(await titles('not-an-id'), [])
      assert.equal((await assign(mine.path, null)).body.human_request.assignee_user_id, null)
      const stranger = await seedTeam(service)
      for (const id of [newId(), 'nobody', stranger.memberId])
        assert.equal((await assign(nobodys.path, id)).status, 404)
      assert.equal((await assign(nobodys.path, 7)).status, 400)
      assert.equal((await team.call(`POST ${nobodys.path}/assign`, { body: {} })).status, 400)
      await respond(team, theirs.path, { approved: true })
      assert.equal((await assign(theirs.path, null)).body.error, 'human_request_closed')
    },
  )
})
