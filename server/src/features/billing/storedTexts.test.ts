// Large texts of runs and the storage of their team: all of them count, and every way to start a run with one is refused past the limit.
import assert from 'node:assert/strict'
import { seedQueue, seedWorker } from '../../../test/kit/cases.ts'
import { drainRuns, readRun, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { dispatchQueue } from '../queues/dispatch/dispatch.ts'
import { proves } from '../../../test/kit/proves.ts'

const limit = 200_000
const service = await testApp({ config: { teamStorageBytes: limit } })
const { sql } = service.context.db
const fenced = (word: string, body: string) => `\`\`\`${word}\n${body}\n\`\`\`\n`

async function used(team: TestTeam): Promise<number> {
  const { body } = await team.call('GET /v2/teams/:teamId/billing/entitlements')
  return body.entitlements.find(({ key }: { key: string }) => key === 'storage_bytes').used
}

const say = (runId: string, seq: number, text: string) => sql`
  insert into run_messages (run_id, seq, id, turn, type, role, text_content, "timestamp")
  values (${runId}, ${seq}, gen_random_uuid(), 1, 'text', 'assistant', ${text}, now())`

proves(
  'entitlements.storedTexts',
  'large texts that an agent writes count until its log is erased or its run is deleted',
  async () => {
    const team = await seedTeam(service)
    const message = 'm'.repeat(100_000)
    const runId = await startRun(team, await seedAgent(team, fenced('output', 'read')), { message })
    await drainRuns(service)
    assert.equal(await used(team), 100_000)
    await say(runId, 50, 'a'.repeat(70_000))
    await say(runId, 51, 'a short one')
    // the message of the run itself is stored once, however often its log repeats it
    await say(runId, 52, message)
    assert.equal(await used(team), 170_000)
    await sql`delete from run_messages where run_id = ${runId}`
    assert.equal(await used(team), 100_000)
    await say(runId, 53, 'b'.repeat(80_000))
    assert.equal(await used(team), 180_000)
    assert.equal((await team.call(`DELETE /v2/runs/${runId}`)).status, 200)
    await service.drain()
    assert.deepEqual([await used(team), await sql`select from run_messages where run_id = ${runId}`], [0, []])
  },
)

proves(
  'entitlements.storedTexts',
  'a retry, a sub-run and a case whose large message does not fit start nothing, and say why',
  async () => {
    const team = await seedTeam(service)
    const child = await seedAgent(team, fenced('output', 'read'))
    await team.call(`PATCH /v2/agents/${child}`, { body: { name: 'Child' } })
    const parent = await seedAgent(team, fenced('agent name=Child', '{{ message }}'), { subAgents: [child] })
    const runId = await startRun(team, parent, { message: 'm'.repeat(120_000) })
    await drainRuns(service)
    const { status, error } = await readRun(team, runId)
    assert.equal(status, 'failed')
    assert.match(
      error.message,
      /Child was not started\. This team may keep 200000 bytes \(storage_bytes\) and keeps 120000/,
    )
    const retry = await team.call(`POST /v2/runs/${runId}/retry`, { body: {} })
    assert.deepEqual([retry.status, retry.body.error], [403, 'entitlement_exceeded'])

    const queueId = await seedQueue(team)
    await seedWorker(team, queueId)
    const made = await team.call(`POST /v2/queues/${queueId}/cases`, {
      body: { case: { title: 'Long', data: 'd'.repeat(70_000) } },
    })
    assert.equal(made.status, 201)
    await dispatchQueue(service.context, queueId)
    const found = await team.call(`GET /v2/cases/${made.body.added_cases[0].id}`)
    assert.equal(found.body.case.display_status, 'pending')
    assert.deepEqual(await sql`select count(*)::int as runs from runs where team_id = ${team.id}`, [{ runs: 1 }])
    // a message that is not stored apart needs no room
    assert.ok(await startRun(team, child, { message: 'short' }))
  },
)
