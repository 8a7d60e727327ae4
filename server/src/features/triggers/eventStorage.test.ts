// What events leave for triggers of a team that may store no more, and of a trigger for which too many wait.
import assert from 'node:assert/strict'
import { proves } from '../../../test/kit/proves.ts'
import { drainRuns, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { setEntitlement } from '../../engine/counting/setEntitlement.ts'
import { noteStorageDefault } from '../../engine/counting/storageLimit.ts'
import { eventsWaitingMax } from './settleSome.ts'
import { startDeliveries } from './startDeliveries.ts'

const service = await testApp()
const { context } = service
const { sql } = context.db
const echo = '```output\n{{ message }}\n```\n'

/** Triggers for the runs of an agent, of another one that is paused: what comes in waits. */
async function waitingTriggers(count: number): Promise<{ team: TestTeam; agentId: string; triggerIds: string[] }> {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, echo)
  const watcher = await seedAgent(team, echo)
  assert.equal((await team.call(`POST /v2/agents/${watcher}/pause`, { body: { reason: 'Later.' } })).status, 200)
  const triggerIds: string[] = []
  for (let n = 0; n < count; n++) {
    const body = { kind: 'event', event: { event: 'run.completed', agent_id: agentId } }
    const made = await team.call(`POST /v2/agents/${watcher}/triggers`, { body })
    assert.equal(made.status, 201, made.text)
    triggerIds.push(made.body.trigger_id)
  }
  return { team, agentId, triggerIds }
}

async function completeRun(team: TestTeam, agentId: string): Promise<void> {
  await startRun(team, agentId, { message: 'x'.repeat(3000) })
  await drainRuns(service)
}

interface Kept {
  state: string
  bytes: number
  is_kept: boolean
  says_why: boolean
}

const keptOf = (team: TestTeam): Promise<Kept[]> => sql<Kept>`
  select state, size_bytes as bytes, content::text <> '{}' as is_kept, coalesce(reason, '') ~ 'storage_bytes' as says_why
  from trigger_deliveries where team_id = ${team.id} order by state desc, n`

const stored = async (team: TestTeam): Promise<number> => {
  const [row] = await sql<{ bytes: number }>`select bytes_stored(${team.id}) as bytes`
  return row!.bytes
}

const dropped: Kept = { state: 'dropped', bytes: 0, is_kept: false, says_why: true }

proves(
  'triggers.storage',
  'what fits is stored, and of the rest one row an hour says that there was more',
  async () => {
    const { team, agentId, triggerIds } = await waitingTriggers(3)
    await completeRun(team, agentId)
    const [first, ...others] = await keptOf(team)
    assert.deepEqual([first!.state, first!.is_kept, others.length], ['waiting', true, 2])
    await sql`delete from trigger_deliveries where team_id = ${team.id}`
    await setEntitlement(sql, team.id, 'storage_bytes', String((await stored(team)) + first!.bytes + 500))
    await completeRun(team, agentId)
    const kept = await keptOf(team)
    assert.deepEqual(kept.slice(1), [dropped, dropped])
    assert.deepEqual(kept[0]!.state, 'waiting')
    await completeRun(team, agentId)
    await completeRun(team, agentId)
    assert.deepEqual((await keptOf(team)).slice(1), [dropped, dropped, dropped], 'each trigger has one')
    await sql`update trigger_deliveries set received_at = now() - interval '2 hours' where team_id = ${team.id}`
    await completeRun(team, agentId)
    assert.deepEqual((await keptOf(team)).length, 7)
    const pages = await Promise.all(
      triggerIds.map((id) => team.call(`GET /v2/triggers/${id}/deliveries?status=dropped`)),
    )
    const { id, size_bytes, reason } = pages[0]!.body.deliveries[0]
    assert.deepEqual([size_bytes, /may store no more/.test(reason)], [0, true])
    const read = await team.call(`GET /v2/trigger-deliveries/${id}`)
    assert.equal(read.body.trigger_delivery.content, null)
    const replay = await team.call(`POST /v2/trigger-deliveries/${id}/replay`)
    assert.deepEqual([replay.status, replay.body.error], [409, 'conflict'])
    assert.match(replay.body.message, /was not kept/)
    await setEntitlement(sql, team.id, 'storage_bytes', '1000000')
    await completeRun(team, agentId)
    assert.equal((await keptOf(team)).filter(({ state }) => state === 'waiting').length, 4, 'there is room again')
  },
)

proves('triggers.storage', 'a team without a limit of its own keeps to that of the server', async () => {
  const { team, agentId } = await waitingTriggers(1)
  await noteStorageDefault(sql, (await stored(team)) + 1000)
  await completeRun(team, agentId)
  assert.deepEqual(await keptOf(team), [dropped])
  await noteStorageDefault(sql, 0)
  await completeRun(team, agentId)
  const [waits] = await keptOf(team)
  assert.deepEqual([waits!.state, waits!.is_kept], ['waiting', true])
})

proves(
  'triggers.storage',
  'an event that is dropped because too many wait keeps no content, and frees its bytes',
  async () => {
    const { team, triggerIds } = await waitingTriggers(1)
    const content = JSON.stringify({ event: { event: 'run.completed', data: 'x'.repeat(1000) } })
    const before = await stored(team)
    await sql`
    insert into trigger_deliveries (id, team_id, trigger_id, content, size_bytes)
    select gen_random_uuid(), ${team.id}, ${triggerIds[0]!}, ${content}::json, octet_length(${content}) from generate_series(1, ${eventsWaitingMax + 3})`
    await startDeliveries({ context, signal: new AbortController().signal })
    const gone = (await keptOf(team)).filter(({ state }) => state !== 'waiting')
    assert.deepEqual(
      gone,
      [1, 2, 3].map(() => ({ ...dropped, says_why: false })),
    )
    assert.equal((await stored(team)) - before, eventsWaitingMax * content.length)
    const { body } = await team.call(`GET /v2/triggers/${triggerIds[0]!}/deliveries?status=dropped`)
    assert.match(body.deliveries[0].reason, /waited for their turn/)
    const read = await team.call(`GET /v2/trigger-deliveries/${body.deliveries[0].id}`)
    assert.deepEqual([read.body.trigger_delivery.content, read.body.trigger_delivery.size_bytes], [null, 0])
    await sql`delete from trigger_deliveries where team_id = ${team.id}`
  },
)
