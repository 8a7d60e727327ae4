// Guardrails over two processes on one database: two people and never one twice, and bounds that hold to the last one.
import assert from 'node:assert/strict'
import { seedColleague } from '../../../test/kit/cases.ts'
import { setRules } from '../../../test/kit/guardrails.ts'
import { testDatabase } from '../../../test/kit/postgres.ts'
import { proves } from '../../../test/kit/proves.ts'
import { startReceiver } from '../../../test/kit/receiver.ts'
import { drainRuns, readEvents, readRun, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp, type Answer, type TestApp } from '../../../test/kit/testApp.ts'

const address = await testDatabase()
const config = { allowPrivateHosts: ['127.0.0.1'] }
const [one, two] = await Promise.all([testApp({ address, config }), testApp({ address, config })])
const receiver = await startReceiver()
const block = (words: string, body = '') => `\`\`\`${words}\n${body}\n\`\`\`\n\n`

/** A call with this credential, through one of both. */
const through = (app: TestApp, key: string, path: string, body: object): Promise<Answer> =>
  app.call(`POST ${path}`, { key, body })

const start = (app: TestApp, of: TestTeam, agent_id: string): Promise<Answer> =>
  app.call(`POST /v2/teams/${of.id}/runs`, { key: of.key, body: { agent_id } })

async function anotherKey(team: TestTeam, memberId: string): Promise<string> {
  const { body } = await team.call('POST /v2/teams/:teamId/api-keys', {
    body: { name: 'Another', user_id: memberId, scopes: ['runs:read', 'approvals:write'] },
  })
  return body.secret
}

proves(
  'guardrails.twoPeople',
  'in a hundred races over two processes one person never counts twice, and each call is made once',
  async () => {
    const team = await seedTeam(one)
    const colleague = await seedColleague(team, 'Second', ['runs:read', 'approvals:write'])
    const keys = [team.key, await anotherKey(team, team.memberId)]
    const others = [colleague.key, await anotherKey(team, colleague.memberId)]
    await setRules([one, two], team, { two_person: ['http_request'] })
    const races = 100
    const procedure = block('http', `POST ${receiver.url}/{{ message }}`) + block('output', 'made')
    const agentId = await seedAgent(team, procedure)
    const runs = await Promise.all(
      Array.from({ length: races }, (_, n) => startRun(team, agentId, { message: `race-${n}` })),
    )
    await drainRuns(one)
    for (const [n, runId] of runs.entries()) {
      const { body } = await team.call(`GET /v2/runs/${runId}`)
      const path = `/v2/runs/${runId}/human-requests/${body.pending_human_request.id}/respond`
      const yes = { approved: true }
      // one person, with two credentials, in both processes: half of the races have nobody else at first
      const same = [one, two, one, two].map((app, index) => through(app, keys[index % 2]!, path, yes))
      const mixed = n % 2 === 0 ? [] : [two, one].map((app, index) => through(app, others[index]!, path, yes))
      const answers = await Promise.all([...same, ...mixed])
      const done = answers.filter(({ status }) => status === 200)
      assert.ok(answers.every(({ status }) => status === 200 || status === 409))
      if (n % 2 === 0) {
        assert.deepEqual(
          done.map((answer) => [answer.body.human_request.status, answer.body.human_request.approvals.length]),
          [['pending', 1]],
        )
        assert.equal((await through(two, others[0]!, path, yes)).body.human_request.status, 'responded')
      } else assert.equal(done.length, 2)
    }
    const rows = await team.sql<{ people: number; approvals: number }>`
      select jsonb_array_length(approvals) as approvals,
        (select count(distinct a ->> 'user_id') from jsonb_array_elements(approvals) a)::int as people
      from human_requests where team_id = ${team.id} and status = 'responded'`
    assert.equal(rows.length, races)
    assert.ok(rows.every(({ people, approvals }) => people === 2 && approvals === 2))
    await drainRuns(two)
    for (const [n, runId] of runs.entries()) {
      assert.equal((await readRun(team, runId)).output, 'made')
      assert.equal(receiver.received.filter(({ url }) => url === `/race-${n}`).length, 1)
    }
    await readEvents(one, runs[0]!)
  },
)

proves(
  'guardrails.takenBack',
  'in sixty races of a second approval with a rejection or with the first one taken back, a call is made only with two that stand',
  async () => {
    const team = await seedTeam(one)
    const colleague = await seedColleague(team, 'Second', ['runs:read', 'approvals:write'])
    await setRules([one, two], team, { two_person: ['http_request'] })
    const procedure = block('http', `POST ${receiver.url}/{{ message }}`) + block('output', 'made')
    const agentId = await seedAgent(team, procedure)
    const runs = await Promise.all(
      Array.from({ length: 60 }, (_, n) => startRun(team, agentId, { message: `change-${n}` })),
    )
    await drainRuns(one)
    const made = new Set<number>()
    for (const [n, runId] of runs.entries()) {
      const { body } = await team.call(`GET /v2/runs/${runId}`)
      const path = `/v2/runs/${runId}/human-requests/${body.pending_human_request.id}`
      await through(one, team.key, `${path}/respond`, { approved: true })
      const [first, second] = n % 2 === 0 ? [one, two] : [two, one]
      const isTakenBack = n % 3 !== 0
      const [other, change] = await Promise.all([
        through(first, colleague.key, `${path}/respond`, { approved: true }),
        isTakenBack
          ? through(second, team.key, `${path}/withdraw`, {})
          : through(second, team.key, `${path}/respond`, { approved: false }),
      ])
      assert.ok([other, change].every(({ status }) => status === 200 || status === 409))
      // whoever changed their mind was heard, or is told that it was too late
      if (change.status === 409) made.add(n)
      else if (isTakenBack) assert.equal(other.body.human_request.status, 'pending')
      else assert.equal(other.status, 409)
    }
    await drainRuns(two)
    for (const n of runs.keys())
      assert.equal(
        receiver.received.filter(({ url }) => url === `/change-${n}`).length,
        Number(made.has(n)),
        `race ${n}`,
      )
  },
)

proves('guardrails.starts', 'of starts at the same time exactly as many begin as the day has left', async () => {
  const [team, free] = [await seedTeam(one), await seedTeam(one)]
  const agentId = await seedAgent(team, block('output', 'done'))
  const agentOfFree = await seedAgent(free, block('output', 'done'))
  // started before the rule was live: they count
  await Promise.all([startRun(team, agentId), startRun(team, agentId)])
  await setRules([one, two], team, { runs_per_day: 22 })
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, n) => start(n % 2 === 0 ? one : two, team, agentId)),
  )
  const refused = answers.filter(({ status }) => status !== 201)
  assert.equal(answers.length - refused.length, 20)
  assert.ok(refused.every(({ status, body }) => status === 409 && body.error === 'guardrail_reached'))
  assert.match(refused[0]!.body.message, /22 runs a day \(runs_per_day\), and 22 are started.*version 1/)
  assert.equal((await start(two, free, agentOfFree)).status, 201)
  const [{ runs } = { runs: 0 }] = await team.sql<{
    runs: number
  }>`select count(*) as runs from runs where team_id = ${team.id}`
  assert.equal(runs, 22)
})

proves('guardrails.calls', 'two processes together make exactly as many calls as the day allows', async () => {
  const team = await seedTeam(one)
  await setRules([one, two], team, { outside_calls_per_day: 17 })
  const agentId = await seedAgent(team, block('http', `GET ${receiver.url}/shared`) + block('output', 'made'))
  await Promise.all(Array.from({ length: 40 }, () => startRun(team, agentId)))
  await Promise.all([drainRuns(one), drainRuns(two)])
  assert.equal(receiver.received.filter(({ url }) => url === '/shared').length, 17)
})

proves('guardrails.underWay', 'a rule that one process makes live is known in the other', async () => {
  const team = await seedTeam(one)
  await setRules([one, two], team, { allowed_hosts: [] })
  const agentId = await seedAgent(team, block('http', `GET ${receiver.url}/known`) + block('output', 'made'))
  const { body } = await two.call(`POST /v2/teams/${team.id}/runs`, { key: team.key, body: { agent_id: agentId } })
  await drainRuns(two)
  assert.equal((await readRun(team, body.run_id)).status, 'failed')
})
