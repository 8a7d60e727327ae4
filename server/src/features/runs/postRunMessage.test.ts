// What people say to runs: numbered with everything else, heard in its turn, and the beginning of another stretch when a run has ended.
import assert from 'node:assert/strict'
import { drainRuns, readEvents, readRun, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { proves } from '../../../test/kit/proves.ts'

const service = await testApp()
const { sql } = service.context.db

const block = (word: string, body: string) => `\`\`\`${word}\n${body}\n\`\`\`\n`
const echo = block('output', 'heard {{ message }}')
const post = (team: TestTeam, runId: string, message: unknown) =>
  team.call(`POST /v2/runs/${runId}/messages`, { body: { message } })

proves(
  'messages.post',
  'a message is part of the log at once, in any state of the run, as text or as an object',
  async () => {
    const team = await seedTeam(service)
    const runId = await startRun(team, await seedAgent(team, `${block('approve', 'Go?')}\n${echo}`), { message: 'one' })
    const toPending = await post(team, runId, 'while pending')
    assert.deepEqual([toPending.status, toPending.body.status, toPending.body.message.seq], [201, 'pending', 2])
    await drainRuns(service)
    const toWaiting = await post(team, runId, { invoice: 4711 })
    const { message } = toWaiting.body
    assert.deepEqual([toWaiting.body.status, toWaiting.body.message_id], ['waiting', message.id])
    assert.deepEqual(
      [message.role, message.type, JSON.parse(message.text_content)],
      ['user', 'text', { invoice: 4711 }],
    )
    const told = (await readEvents(service, runId)).findLast(({ event }) => event === 'run.message.created')
    assert.deepEqual(told!.data.message, message)
    const [row] =
      await sql`select seq, text_content from run_messages where run_id = ${runId} order by seq desc limit 1`
    assert.deepEqual(row, { seq: message.seq, text_content: message.text_content })
  },
)

proves(
  'messages.restart',
  'an ended run starts again with it, and tells its next end by an event of its own',
  async () => {
    const team = await seedTeam(service)
    const runId = await startRun(team, await seedAgent(team, echo), { message: 'one' })
    await team.call(`POST /v2/runs/${runId}/stop`)
    const posted = await post(team, runId, 'two')
    assert.deepEqual([posted.status, posted.body.status], [201, 'pending'])
    const run = await readRun(team, runId)
    assert.deepEqual([run.completed_at, run.output, run.error], [null, null, null])
    await drainRuns(service)
    assert.equal((await readRun(team, runId)).output, 'heard two')
    const ends = (await readEvents(service, runId)).filter(({ event }) => event === 'run.completed')
    assert.deepEqual(
      ends.map(({ data }) => data.status),
      ['stopped', 'completed'],
    )
  },
)

proves(
  'messages.refused',
  'what is too large or empty, or would restart a run whose agent or log is gone, is refused',
  async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, `${block('approve', 'Go?')}\n${echo}`)
    const [ended, erased] = [await startRun(team, agentId), await startRun(team, agentId)]
    const fits = 'é'.repeat(32 * 1024)
    assert.equal((await post(team, ended, `${fits}!`)).status, 400)
    assert.equal((await post(team, ended, { text: fits })).status, 400)
    assert.equal((await post(team, ended, '')).status, 400)
    assert.equal((await post(team, ended, 7)).status, 400)
    assert.equal((await team.call(`POST /v2/runs/${ended}/messages`, { body: {} })).status, 400)
    assert.equal((await post(team, ended, fits)).status, 201)
    for (const runId of [ended, erased]) await team.call(`POST /v2/runs/${runId}/stop`)
    await sql`update runs set log_erased_at = now() where id = ${erased}`
    const toErased = await post(team, erased, 'hello?')
    assert.deepEqual([toErased.status, toErased.body.error], [409, 'conflict'])
    assert.match(toErased.body.message, /Start a new run/)
    await team.call(`DELETE /v2/agents/${agentId}`)
    const toEnded = await post(team, ended, 'hello?')
    assert.deepEqual([toEnded.status, toEnded.body.error], [409, 'conflict'])
    assert.equal((await readRun(team, ended)).status, 'stopped')
  },
)

proves(
  'messages.numbers',
  'messages that arrive together have numbers without gaps, in the messages and in the events',
  async () => {
    const team = await seedTeam(service)
    const runId = await startRun(team, await seedAgent(team, `${block('approve', 'Go?')}\n${echo}`), { message: '0' })
    const posts = Array.from({ length: 40 }, (_, n) => post(team, runId, `${n + 1}`))
    const [answers] = await Promise.all([Promise.all(posts), drainRuns(service)])
    assert.ok(answers.every(({ status }) => status === 201))
    const seqs = answers.map(({ body }) => body.message.seq)
    assert.equal(new Set(seqs).size, 40)
    const rows = await sql<{ seq: number }>`select seq from run_messages where run_id = ${runId} order by seq`
    assert.deepEqual(
      rows.map(({ seq }) => seq),
      rows.map((_, index) => index + 1),
    )
    const told = (await readEvents(service, runId)).filter(({ event }) => event === 'run.message.created')
    assert.deepEqual(
      told.map(({ data }) => data.message.seq),
      rows.map(({ seq }) => seq),
    )
  },
)

proves(
  'messages.refused',
  'a message does not restart an ended run of a paused agent, or of a team that has spent its month, but reaches one under way',
  async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, `${block('approve', 'Go?')}\n${echo}`)
    const [ended, underWay] = [await startRun(team, agentId), await startRun(team, agentId)]
    await drainRuns(service)
    await team.call(`POST /v2/runs/${ended}/stop`)
    await team.call(`POST /v2/agents/${agentId}/pause`, { body: { reason: 'It pays twice.' } })
    const refused = await post(team, ended, 'pay')
    assert.deepEqual([refused.status, refused.body.error], [409, 'agent_paused'])
    assert.match(refused.body.message, /It pays twice/)
    assert.equal((await post(team, underWay, 'wait')).status, 201)
    await team.call(`POST /v2/agents/${agentId}/resume`)
    await sql`insert into entitlements (team_id, key, value) values (${team.id}, 'monthly_cost_usd', 0)`
    const spent = await post(team, ended, 'pay')
    assert.equal(spent.body.error, 'entitlement_exceeded')
    assert.equal((await post(team, underWay, 'wait')).status, 201)
    assert.equal((await readRun(team, ended)).status, 'stopped')
  },
)
