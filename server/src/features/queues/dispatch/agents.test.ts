// Agents at work on cases: what they are given, in which order, and what becomes of a case by what its run does.
import assert from 'node:assert/strict'
import { drainRuns, readRun, seedAgent, startRun } from '../../../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../../../test/kit/seed.ts'
import { testApp } from '../../../../test/kit/testApp.ts'
import { setEntitlement } from '../../../engine/counting/setEntitlement.ts'
import { caseTools } from '../tools.ts'
import { dispatchQueue } from './dispatch.ts'
import { proves } from '../../../../test/kit/proves.ts'

const service = await testApp()
const { context } = service
const block = (words: string, body = '') => `\`\`\`${words}\n${body}\n\`\`\`\n\n`

interface Desk {
  team: TestTeam
  queueId: string
  name: string
}

async function newDesk(queue: Record<string, unknown> = {}): Promise<Desk> {
  const team = await seedTeam(service)
  const name = 'Invoices'
  const { body } = await team.call('POST /v2/teams/:teamId/queues', { body: { name, ...queue } })
  return { team, queueId: body.queue_id, name }
}

async function putToWork({ team, queueId }: Desk, procedure: string, name?: string): Promise<string> {
  const agentId = await seedAgent(team, procedure)
  if (name) await team.call(`PATCH /v2/agents/${agentId}`, { body: { name } })
  const wanted = { case_queue_id: queueId, enabled: true }
  assert.equal((await team.call(`POST /v2/agents/${agentId}/case-triggers`, { body: wanted })).status, 201)
  return agentId
}

async function addCases({ team, queueId }: Desk, ...cases: Record<string, unknown>[]): Promise<string[]> {
  const { body } = await team.call(`POST /v2/queues/${queueId}/cases`, { body: { cases } })
  return body.added_cases.map(({ id }: { id: string }) => id)
}

/** Gives out and runs until nothing is left to give out. */
async function work({ queueId }: Desk): Promise<void> {
  while ((await dispatchQueue(context, queueId)) > 0) await drainRuns(service)
}

async function readCase({ team }: Desk, id: string) {
  const { body } = await team.call(`GET /v2/cases/${id}`)
  return { ...body.case, types: body.events.map(({ type }: { type: string }) => type) }
}

proves('cases.worked', 'a case starts a run that reads it, and is completed with its result', async () => {
  const desk = await newDesk()
  await putToWork(desk, block('case complete', '{"paid": {{ case.data.amount }}, "of": {{ case.title }}}'))
  const [id] = await addCases(desk, { title: 'Invoice 4711', data: '{"amount": 120}', priority: 'high' })
  await work(desk)
  const done = await readCase(desk, id!)
  assert.deepEqual([done.status, done.result, done.attempts], ['completed', { paid: 120, of: 'Invoice 4711' }, 1])
  assert.deepEqual(done.types, ['created', 'claimed', 'completed'])
  const { body } = await desk.team.call(`GET /v2/cases/${id}/runs`)
  const [run] = body.runs
  assert.deepEqual(
    [run.source, run.status, run.case_id, run.case_title],
    ['case_trigger', 'completed', id, 'Invoice 4711'],
  )
  const events = await context.db.sql<{ event: string; data: { case: { status: string }; run_id?: string } }>`
    select event, data from events where team_id = ${desk.team.id} and event like 'queue.case.%' order by created_at, id`
  assert.deepEqual(
    events.map(({ event, data }) => [event, data.case.status, data.run_id !== undefined]),
    [
      ['queue.case.created', 'pending', false],
      ['queue.case.claimed', 'pending', true],
      ['queue.case.completed', 'completed', true],
    ],
  )
})

proves(
  'cases.unclosed',
  'a run that ends, fails or is stopped without closing its case fails it, and says how',
  async () => {
    const ended = await newDesk()
    await putToWork(ended, block('output', 'forgot'))
    const [forgotten] = await addCases(ended, { title: 'a' })
    await work(ended)
    const failing = await newDesk()
    await putToWork(failing, block('bash', 'echo broken >&2; exit 3'))
    const [broken] = await addCases(failing, { title: 'b' })
    await work(failing)
    const stopping = await newDesk()
    await putToWork(stopping, block('approve', 'Go on?'))
    const [stopped] = await addCases(stopping, { title: 'c' })
    await work(stopping)
    const { claimed_by_run_id: runId } = await readCase(stopping, stopped!)
    await stopping.team.call(`POST /v2/runs/${runId}/stop`)
    const all = [
      await readCase(ended, forgotten!),
      await readCase(failing, broken!),
      await readCase(stopping, stopped!),
    ]
    assert.deepEqual(
      all.map(({ status, types }) => [status, types.at(-1)]),
      all.map(() => ['failed', 'failed']),
    )
    const reasons = [/^The run ended without closing/, /^The run failed: .*exit code 3/, /^The run was stopped/]
    for (const [index, reason] of reasons.entries()) assert.match(all[index]!.reason, reason)
  },
)

proves('cases.needsInput', 'a case shows that its run waits for a person, and whom to answer', async () => {
  const desk = await newDesk({ concurrency: 1 })
  await putToWork(desk, block('approve', 'Pay?') + block('case complete', 'paid'))
  const [first, second] = await addCases(desk, { title: 'a' }, { title: 'b' })
  assert.equal(await dispatchQueue(context, desk.queueId), 1)
  assert.equal((await readCase(desk, first!)).display_status, 'in_progress')
  assert.equal(await dispatchQueue(context, desk.queueId), 0)
  await drainRuns(service)
  const asking = await readCase(desk, first!)
  assert.equal(asking.display_status, 'needs_input')
  // what waits for a person leaves its place to the next
  assert.equal(await dispatchQueue(context, desk.queueId), 1)
  await drainRuns(service)
  assert.equal((await readCase(desk, second!)).display_status, 'needs_input')
  const route = `POST /v2/runs/${asking.claimed_by_run_id}/human-requests/${asking.pending_human_request_id}/respond`
  assert.equal((await desk.team.call(route, { body: { approved: true } })).status, 200)
  await drainRuns(service)
  const done = await readCase(desk, first!)
  assert.deepEqual([done.display_status, done.pending_human_request_id, done.result], ['completed', null, 'paid'])
})

proves('cases.order', 'due postponed cases come first, then by priority, then the oldest', async () => {
  const desk = await newDesk({ concurrency: 1 })
  const ids = await addCases(
    desk,
    { title: 'old' },
    { title: 'medium', priority: 'medium' },
    { title: 'high', priority: 'high' },
    { title: 'young' },
    { title: 'put aside' },
  )
  await desk.team.call(`POST /v2/cases/${ids[4]}/postpone`, { body: { seconds: 3600 } })
  await context.db.sql`update cases set postponed_to = now() - interval '1 second' where id = ${ids[4]}`
  await putToWork(desk, block('case complete'))
  await work(desk)
  const runs = await context.db.sql<{ case_title: string }>`
    select case_title from runs where case_queue_id = ${desk.queueId} order by run_number`
  assert.deepEqual(
    runs.map(({ case_title }) => case_title),
    ['put aside', 'high', 'medium', 'old', 'young'],
  )
})

proves(
  'cases.ableAgents',
  'an agent without a live build keeps no case from the other agents of its queue',
  async () => {
    const desk = await newDesk({ concurrency: 20 })
    const { team, queueId } = desk
    const idle = await putToWork(desk, block('case complete'))
    const able = await putToWork(desk, block('case complete'))
    await team.sql`update case_triggers set concurrency = 2 where agent_id = ${able} and team_id = ${team.id}`
    await team.sql`update builds set status = 'historic' where agent_id = ${idle} and team_id = ${team.id}`
    const ids = await addCases(desk, ...Array.from({ length: 5 }, (_, n) => ({ title: `Invoice ${n}` })))
    // handed over, it waits for its agent as long as that one works the queue
    await team.sql`update cases set for_agent_id = ${idle} where id = ${ids[0]} and team_id = ${team.id}`
    assert.equal(await dispatchQueue(context, queueId), 2)
    await drainRuns(service)
    await work(desk)
    const runs =
      await team.sql`select distinct agent_id, count(*) as runs from runs where team_id = ${team.id} group by agent_id`
    assert.deepEqual(runs, [{ agent_id: able, runs: 4 }])
    assert.equal((await readCase(desk, ids[0]!)).display_status, 'pending')
  },
)

proves('cases.tools', 'an agent postpones, hands over, changes, adds, lists and claims cases', async () => {
  const desk = await newDesk()
  const { team, name } = desk
  const second = await putToWork(desk, block('case complete', '{{ case.title }} by the second'), 'Second')
  await team.call(`PATCH /v2/agents/${second}/case-triggers/${await triggerOf(team, second)}`, {
    body: { enabled: false },
  })
  const first =
    block('tool name=case_update', '{"title": "Changed", "priority": "high"}') +
    block('case create queue=Invoices', 'Follow-up\n{"from": {{ case.id }}}') +
    block('tool name=case_hand_over on_error=continue id=early', '{"agent": "Second", "reason": "not mine"}') +
    block('case postpone 1h', 'later') +
    block('output', '{{ steps.early.error }}')
  const agentId = await putToWork(desk, first, 'First')
  const [id] = await addCases(desk, { title: 'Invoice' })
  assert.equal(await dispatchQueue(context, desk.queueId), 1)
  await drainRuns(service)
  const later = await readCase(desk, id!)
  assert.deepEqual(
    [later.title, later.priority, later.display_status, later.reason],
    ['Changed', 'high', 'postponed', 'later'],
  )
  const { body } = await team.call(`GET /v2/cases/${id}/runs`)
  assert.match(body.runs[0].output, /No other agent of that name or id works the queue/)
  const { body: listed } = await team.call(`GET /v2/queues/${desk.queueId}/cases?status=pending`)
  assert.deepEqual(
    listed.cases.map((one: { title: string; data: string }) => [one.title, JSON.parse(one.data)]),
    [['Follow-up', { from: id }]],
  )
  // now the other agent works too, and gets what is handed over
  await team.call(`DELETE /v2/agents/${agentId}/case-triggers/${await triggerOf(team, agentId)}`)
  const handing = block('tool name=case_hand_over', '{"agent": "Second", "reason": "yours"}') + block('output', 'x')
  const third = await putToWork(desk, handing, 'Third')
  const patch = { body: { enabled: true } }
  await team.call(`PATCH /v2/agents/${second}/case-triggers/${await triggerOf(team, second)}`, patch)
  await context.db
    .sql`update cases set for_agent_id = ${third} where queue_id = ${desk.queueId} and display_status = 'pending'`
  await work(desk)
  const followUp = await readCase(desk, listed.cases[0].id)
  assert.deepEqual([followUp.status, followUp.result], ['completed', 'Follow-up by the second'])
  assert.deepEqual(followUp.types, ['created', 'claimed', 'handed_over', 'claimed', 'completed'])
  // a run of its own claims what lies there, though its time has not come
  const claiming =
    block('tool name=case_list id=list', `{"queue": "${name}", "status": "postponed"}`) +
    block('tool name=case_claim id=claim', '{"case_id": {{ steps.list.output.cases[0].id }}}') +
    block('tool name=case_claim id=again on_error=continue', '{"queue": "Invoices"}') +
    block('case fail', 'no use') +
    block('output', '{{ steps.again.error }}')
  const runId = await startRun(team, await seedAgent(team, claiming))
  await drainRuns(service)
  const run = await readRun(team, runId)
  assert.deepEqual([run.error, run.case_id], [null, id])
  assert.match(run.output, /holds a case already/)
  assert.deepEqual([(await readCase(desk, id!)).status, (await readCase(desk, id!)).reason], ['failed', 'no use'])
})

const triggerOf = async (team: TestTeam, agentId: string): Promise<string> =>
  (await team.call(`GET /v2/agents/${agentId}/case-triggers`)).body.case_triggers[0].id

proves(
  'cases.handedOver',
  'a case handed over waits for its agent, and for anybody once that one no longer works the queue',
  async () => {
    const desk = await newDesk()
    const { team } = desk
    const busy = await putToWork(desk, block('case complete'), 'Busy')
    const [held, waiting] = await addCases(desk, { title: 'One' }, { title: 'Two' })
    await team.sql`update case_triggers set concurrency = 1 where agent_id = ${busy} and team_id = ${team.id}`
    await team.sql`update cases set for_agent_id = ${busy} where queue_id = ${desk.queueId} and team_id = ${team.id}`
    await putToWork(desk, block('case complete'), 'Free')
    assert.equal(await dispatchQueue(context, desk.queueId), 1)
    assert.equal(await dispatchQueue(context, desk.queueId), 0)
    const statuses = [(await readCase(desk, held!)).display_status, (await readCase(desk, waiting!)).display_status]
    assert.deepEqual(statuses, ['in_progress', 'pending'])
    const { body } = await team.call(`GET /v2/agents/${busy}/case-triggers`)
    const [trigger] = body.case_triggers
    const off = await team.call(`PATCH /v2/agents/${busy}/case-triggers/${trigger.id}`, { body: { enabled: false } })
    assert.equal(off.status, 200)
    await work(desk)
    assert.deepEqual((await readCase(desk, waiting!)).types, ['created', 'claimed', 'completed'])
  },
)

proves('cases.toolsAlone', 'a run that holds no case hears so from every tool that needs one', async () => {
  const { team } = await newDesk()
  const tools = [
    'case_complete {}',
    'case_fail {"reason": "x"}',
    'case_postpone {"seconds": 60}',
    'case_update {"title": "x"}',
  ]
  for (const tool of tools) {
    const [name, args] = [tool.slice(0, tool.indexOf(' ')), tool.slice(tool.indexOf(' ') + 1)]
    const procedure =
      block(`tool name=${name} id=call on_error=continue`, args) + block('output', '{{ steps.call.error }}')
    const runId = await startRun(team, await seedAgent(team, procedure))
    await drainRuns(service)
    assert.match((await readRun(team, runId)).output, /This run holds no case/)
  }
})

proves('cases.toolsStorage', 'what a run stores in cases counts as its team’s storage, by its bytes', async () => {
  const desk = await newDesk()
  const { team, queueId } = desk
  const agentId = await putToWork(desk, block('wait', '1d'))
  const [id] = await addCases(desk, { title: 'Invoice', data: 'x'.repeat(1000) })
  assert.equal(await dispatchQueue(context, queueId), 1)
  const [held] = await team.sql<{ run_id: string; build_id: string; bytes: number }>`
    select r.id as run_id, r.build_id, (select sum(bytes)::int from stored_bytes where team_id = ${team.id}) as bytes
    from cases c join runs r on r.id = c.claimed_by_run_id where c.id = ${id} and c.team_id = ${team.id}`
  const { run_id, build_id, bytes } = held!
  await setEntitlement(team.sql, team.id, 'storage_bytes', String(bytes + 1500))
  const own = {
    team_id: team.id,
    agent_id: agentId,
    build_id,
    config_hash: null,
    user_id: null,
    case_id: id!,
    depth: 0,
  }
  const call = async (name: string, input: object): Promise<string | undefined> => {
    const tool = caseTools.tools.find((one) => one.name === name)
    assert.ok(tool?.kind === 'inside')
    const calls = [{ id: `${run_id}:1`, step: 1, run: { id: run_id, ...own }, input: input as never }]
    const [outcome] = await context.db.transaction((sql) => tool.apply(calls, sql, context))
    return outcome && 'error' in outcome ? outcome.error : undefined
  }
  // three bytes a character
  const large = '€'.repeat(90_000)
  assert.match((await call('case_update', { data: large }))!, /data is larger than 256 KiB/)
  assert.match((await call('case_create', { queue: queueId, title: 'Large', data: large }))!, /larger than 256 KiB/)
  assert.match((await call('case_update', { data: '€'.repeat(1000) }))!, /storage_bytes/)
  assert.equal((await readCase(desk, id!)).data, 'x'.repeat(1000))
  assert.equal(await call('case_update', { data: 'y'.repeat(2000), title: 'Invoice of 2026' }), undefined)
  assert.equal(await call('case_update', { priority: 'high' }), undefined)
  const changed = await readCase(desk, id!)
  assert.deepEqual([changed.title, changed.data, changed.priority], ['Invoice of 2026', 'y'.repeat(2000), 'high'])
})

proves(
  'cases.queueById',
  'a case block and the tools name a queue by its name or by its id, and another team’s by neither',
  async () => {
    const desk = await newDesk()
    const { team, queueId, name } = desk
    const stranger = await newDesk()
    const add = (queue: string) => block(`case create queue=${queue} title="From ${queue}"`, 'See.')
    const listed = block(`tool name=case_list id=listed`, JSON.stringify({ queue: queueId }))
    const procedure = `${add(name)}${add(queueId)}${listed}${block(`tool name=case_claim`, JSON.stringify({ queue: queueId }))}`
    const agentId = await seedAgent(team, procedure)
    const runId = await startRun(team, agentId)
    await drainRuns(service)
    const { cases } = (await team.call(`GET /v2/queues/${queueId}/cases?sort_order=asc`)).body
    assert.deepEqual(
      cases.map((one: { title: string; attempts: number }) => [one.title, one.attempts]),
      [
        [`From ${name}`, 1],
        [`From ${queueId}`, 0],
      ],
      (await readRun(team, runId)).error?.message,
    )
    const { producers } = (await team.call(`GET /v2/queues/${queueId}/agents`)).body
    assert.deepEqual(
      producers.map((one: { in_procedure: boolean }) => one.in_procedure),
      [true],
    )
    const outsider = await startRun(team, await seedAgent(team, add(stranger.queueId)))
    await drainRuns(service)
    assert.match((await readRun(team, outsider)).error.message, /no queue with the name or id/)
    assert.equal((await stranger.team.call(`GET /v2/queues/${stranger.queueId}/cases`)).body.total, 0)
  },
)
