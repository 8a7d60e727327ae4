// People in the loop as callers meet them: answers, races, the inbox, and what is taken back.
import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { newId } from '../../base/ids.ts'
import { drainRuns, readEvents, readRun, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seeders, seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { proves } from '../../../test/kit/proves.ts'

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
    assert.equal((await list('?status=expired')).total, 0)
    assert.equal((await team.call('GET /v2/teams/:teamId/human-requests?status=open')).status, 400)
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
