// Runs of private artifacts: through every operation, list and stream they exist only for the member who made the artifact.
import assert from 'node:assert/strict'
import { before } from 'node:test'
import { newId } from '../src/base/ids.ts'
import { exampleOf } from '../src/kit/openapi.ts'
import type { Operation } from '../src/kit/operation.ts'
import { nounOf } from '../src/kit/resources.ts'
import { registryOf } from '../src/kit/registry.ts'
import { configOf, seedArtifact, startArtifactRun, type Hidden } from './kit/artifactRuns.ts'
import { seedColleague } from './kit/cases.ts'
import { readStream } from './kit/eventStream.ts'
import { proves } from './kit/proves.ts'
import { drainRuns, seedAgent, startRun } from './kit/runs.ts'
import { seeders, seedTeam, type TestTeam } from './kit/seed.ts'
import { testApp, type Answer } from './kit/testApp.ts'

const service = await testApp({ config: { allowPrivateHosts: ['hooks.example.com'] } })
const { sql } = service.context.db
const creator = await seedTeam(service, { name: 'Ours' })
const colleague = await seedColleague(creator, 'Colleague', ['*'])
const stranger = await seedTeam(service, { name: 'Theirs' })
let baseUrl: string
before(async () => {
  baseUrl = await service.listen()
})

const asks = '```memory path=a.md on_error=continue\nx\n```\n\n```approve\nShow the salaries?\n```\n'

interface Made extends Hidden {
  runId: string
  /** The keys are the nouns of path parameters. */
  ids: Record<string, string>
}

/** A run that waits for a person, with a sandbox and a browser session of its own. */
async function make(visibility: 'private' | 'team' | 'public'): Promise<Made> {
  const artifact = await seedArtifact(service, creator, { visibility, config: configOf(asks) })
  const runId = await startArtifactRun(service, creator, artifact, { title: 'Salaries' })
  await drainRuns(service)
  const [request] = await sql<{ id: string }>`select id from human_requests where run_id = ${runId}`
  assert.ok(request, 'the run asks a person')
  const sandbox = newId()
  await sql`insert into sandboxes (id, team_id, run_id) values (${sandbox}, ${creator.id}, ${runId})`
  const session = newId()
  await sql`insert into browser_sessions (id, team_id, run_id) values (${session}, ${creator.id}, ${runId})`
  const ids = { run: runId, request: request.id, sandbox, session, agent: artifact.agentId }
  return { ...artifact, runId, ids }
}

const known = new Set(['run', 'request', 'sandbox', 'session'])
const nounsOf = ({ parameters }: Operation): string[] => parameters.map((name) => nounOf(name) ?? name)
/** Every operation whose path names the run, or something that belongs to it. */
const operations = registryOf(service.context).operations.filter((operation) =>
  nounsOf(operation).some((noun) => known.has(noun)),
)

function routeTo({ method, path, query }: Operation, ids: Record<string, string>): string {
  const filled = path.replace(/:(\w+)\*?/g, (_, name: string) => ids[nounOf(name) ?? name] ?? newId())
  const wanted = query?.properties['path'] ? `?path=${String(exampleOf(query.properties['path']))}` : ''
  return `${method} ${filled}${wanted}`
}

async function send(team: TestTeam, operation: Operation, ids: Record<string, string>): Promise<Answer> {
  const body = operation.body ? { body: exampleOf(operation.body) } : {}
  return service.call(routeTo(operation, { team: team.id, ...ids }), { key: team.key, ...body })
}

const unknownIds = () => Object.fromEntries([...known, 'agent'].map((noun) => [noun, newId()]))
/** All that a caller sees, but for what differs from one request to the next. */
const seen = ({ status, text, headers }: Answer) => {
  const { 'x-request-id': id, date: _date, ...rest } = headers
  return { status, text: text.replaceAll(id ?? '', ''), headers: rest }
}

proves('runs.private', 'every operation below a run answers others as if the id were unknown', async () => {
  const made = await make('private')
  assert.ok(operations.length >= 30, `${operations.length} operations`)
  for (const operation of operations) {
    for (const other of [colleague, stranger]) {
      const expected = seen(await send(other, operation, unknownIds()))
      assert.equal(expected.status, 404, operation.id)
      assert.deepEqual(seen(await send(other, operation, made.ids)), expected, operation.id)
    }
  }
  const { body } = await creator.call(`GET /v2/runs/${made.runId}`)
  assert.deepEqual([body.run.title, body.status], ['Salaries', 'waiting'], 'nobody has changed it')
})

proves(
  'runs.private',
  'the creator finds all of it, and so does the team once the artifact is the team’s',
  async () => {
    const made = await make('private')
    const reading = [
      `GET /v2/runs/${made.runId}`,
      `GET /v2/runs/${made.runId}/messages`,
      `GET /v2/runs/${made.runId}/why`,
      `GET /v2/sandboxes/${made.ids['sandbox']}`,
      `GET /v2/runs/${made.runId}/sandbox/files`,
      `GET /v2/browser-agent/session/${made.ids['session']}/pages`,
      `GET /v2/agent-runs/${made.runId}/screenshots/timeline`,
    ]
    for (const visibility of ['team', 'public', 'private']) {
      await sql`
      update artifacts set visibility = ${visibility}, public_key = ${visibility === 'public' ? newId() : null}
      where agent_id = ${made.agentId}`
      for (const route of reading) {
        assert.equal((await creator.call(route)).status, 200, route)
        assert.equal(
          (await colleague.call(route)).status,
          visibility === 'private' ? 404 : 200,
          `${visibility} ${route}`,
        )
        assert.equal((await stranger.call(route)).status, 404, route)
      }
    }
  },
)

const listed = async (team: TestTeam) => {
  const { body } = await team.call('GET /v2/teams/:teamId/runs?source=artifact&limit=100')
  return { ids: body.data.map(({ id }: { id: string }) => id) as string[], total: body.total as number }
}

const detailed = async (team: TestTeam, ids: string[]) => {
  const { body } = await team.call(`GET /v2/teams/:teamId/run-details?run_ids=${ids.join(',')}`)
  return body.run_details.map(({ run_id }: { run_id: string }) => run_id) as string[]
}

const workspaces = async (team: TestTeam) => {
  const { body } = await team.call('GET /v2/sandboxes?made_by=run&limit=200')
  assert.equal(body.total, body.sandboxes.length)
  return body.sandboxes.map(({ run_id }: { run_id: string }) => run_id) as string[]
}

const inbox = async (team: TestTeam, query = '') => {
  const { body } = await team.call(`GET /v2/teams/:teamId/human-requests?limit=200&${query}`)
  assert.equal(body.total, body.human_requests.length)
  return body.human_requests.map(({ run_id }: { run_id: string }) => run_id) as string[]
}

proves('runs.private', 'no list or inbox of others has it, and no total counts it', async () => {
  const own = await make('private')
  const shared = await make('team')
  const [mine, theirs, foreign] = [await listed(creator), await listed(colleague), await listed(stranger)]
  assert.ok(mine.ids.includes(own.runId) && mine.ids.includes(shared.runId))
  assert.ok(theirs.ids.includes(shared.runId) && !theirs.ids.includes(own.runId))
  assert.deepEqual([mine.total, theirs.total], [mine.ids.length, theirs.ids.length])
  assert.deepEqual(foreign, { ids: [], total: 0 })
  const [ours, others] = [await workspaces(creator), await workspaces(colleague)]
  assert.ok(ours.includes(own.runId) && others.includes(shared.runId) && !others.includes(own.runId))
  const asked = [shared.runId, own.runId]
  assert.deepEqual((await detailed(creator, asked)).toSorted(), asked.toSorted())
  assert.deepEqual(await detailed(colleague, asked), [shared.runId])
  assert.deepEqual(await detailed(stranger, asked), [])

  for (const query of ['', 'status=all', 'assignee_user_id=none']) {
    assert.ok((await inbox(creator, query)).includes(own.runId))
    const other = await inbox(colleague, query)
    assert.ok(other.includes(shared.runId) && !other.includes(own.runId), query)
    assert.deepEqual(await inbox(stranger, query), [])
  }

  const { body: usage } = await colleague.call('GET /v2/teams/:teamId/billing/usage')
  const named = (agentId: string) =>
    usage.usage.by_agent.find((row: { agent_id: string }) => row.agent_id === agentId).agent_name
  assert.deepEqual([named(own.agentId), named(shared.agentId)], [null, 'Behind a page'])
})

proves('runs.private', 'what others hear of cases and connections does not have it', async () => {
  const made = await make('private')
  const connectionId = await seeders['connection']!(creator, {})
  await sql`insert into connection_waits (connection_id, run_id, is_over) values (${connectionId}, ${made.runId}, false)`
  const waiting = async (team: TestTeam) => {
    const { body } = await team.call(`GET /v2/connections/${connectionId}/dependents`)
    return [body.waiting_runs_total, body.waiting_runs.length]
  }
  assert.deepEqual(await waiting(creator), [1, 1])
  assert.deepEqual(await waiting(colleague), [0, 0])
  const caseId = await seeders['case']!(creator, {})
  await sql`update runs set case_id = ${caseId} where id = ${made.runId}`
  const runsOf = async (team: TestTeam) => (await team.call(`GET /v2/cases/${caseId}/runs`)).body.runs.length
  assert.deepEqual([await runsOf(creator), await runsOf(colleague)], [1, 0])
})

proves('runs.private', 'nobody else can start a run in its sandbox', async () => {
  const made = await make('private')
  const agentId = await seedAgent(creator, '```output\ndone\n```\n')
  const start = (sandbox_id: string) =>
    colleague.call('POST /v2/teams/:teamId/runs', { body: { agent_id: agentId, sandbox_id } })
  const [refused, unknown] = [await start(made.ids['sandbox']!), await start(newId())]
  assert.deepEqual([refused.status, refused.body.message], [404, unknown.body.message])
})

const ask = async (team: TestTeam, method: string, params: object) => {
  const body = { jsonrpc: '2.0', id: 1, method, params }
  const { text } = await service.call('POST /v2/mcp?toolsets=all', { key: team.key, body })
  return text
}

const askedOf = (runId: string): [string, object][] => [
  ['resources/read', { uri: `runyard://runs/${runId}` }],
  ['resources/read', { uri: `runyard://runs/${runId}/files/a.txt` }],
  ['tools/call', { name: 'getRun', arguments: { run_id: runId } }],
  ['tools/call', { name: 'waitForRun', arguments: { run_id: runId, wait_seconds: 5 } }],
]

proves('runs.private', 'MCP gives others neither the run nor its resources', async () => {
  const made = await make('private')
  const unknown = newId()
  for (const [index, [method, params]] of askedOf(made.runId).entries()) {
    const expected = await ask(colleague, ...askedOf(unknown)[index]!)
    const got = await ask(colleague, method, params)
    assert.equal(withoutRequestId(got).replaceAll(made.runId, unknown), withoutRequestId(expected))
  }
  assert.match(await ask(creator, 'resources/read', { uri: `runyard://runs/${made.runId}` }), /Salaries/)
})

/** A refusal says under which id the request is logged. */
const withoutRequestId = (text: string): string => text.replace(/request_id\\?":\\?"[^"\\]*/g, '')

proves('runs.private', 'the team’s stream gives its events to the creator alone', async () => {
  const path = '/v2/teams/:teamId/events'
  const [mine, theirs] = [await readStream(baseUrl, creator, path), await readStream(baseUrl, colleague, path)]
  const made = await make('private')
  const shared = await make('team')
  const marker = await startRun(creator, await seedAgent(creator, '```output\ndone\n```\n'))
  await drainRuns(service)
  for (const reader of [mine, theirs])
    await reader.until(({ events }) =>
      events.some(({ event, data }) => event === 'run.completed' && data.data.run_id === marker),
    )
  const runsIn = (text: string) => [made, shared].map(({ runId }) => text.includes(runId))
  assert.deepEqual(runsIn(mine.text()), [true, true])
  assert.deepEqual(runsIn(theirs.text()), [false, true])
  // who resumes gets what a reader from the start got
  const again = await readStream(baseUrl, colleague, path, { lastEventId: theirs.events[0]!.id })
  await again.until(({ events }) =>
    events.some(({ event, data }) => event === 'run.completed' && data.data.run_id === marker),
  )
  assert.deepEqual(runsIn(again.text()), [false, true])
})

proves('runs.private', 'webhooks of the team get no event of it', async () => {
  const body = { url: 'https://hooks.example.com/runyard', events: ['*'] }
  assert.equal((await creator.call('POST /v2/teams/:teamId/webhooks', { body })).status, 201)
  const [own, shared] = [await make('private'), await make('team')]
  await creator.call(`POST /v2/runs/${own.runId}/stop`)
  const deliveries = async ({ runId }: Made) =>
    (await sql`select id from every_delivery where run_id = ${runId} and team_id = ${creator.id}`).length
  assert.equal(await deliveries(own), 0)
  assert.ok((await deliveries(shared)) > 0)
})

proves('runs.private', 'with its artifact gone, nobody finds the run', async () => {
  const made = await make('team')
  await sql`delete from artifacts where agent_id = ${made.agentId}`
  for (const team of [creator, colleague]) assert.equal((await team.call(`GET /v2/runs/${made.runId}`)).status, 404)
})
