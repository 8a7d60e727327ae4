// Agents and runs for tests, made the way users make them.
import assert from 'node:assert/strict'
import { engineOf } from '../../src/engine/engine.ts'
import type { NewRun } from '../../src/engine/starting/createRun.ts'
import type { TestTeam } from './seed.ts'
import type { TestApp } from './testApp.ts'

/** An agent whose live build follows this procedure; `data` goes into its config beside it. */
export async function seedAgent(
  team: TestTeam,
  procedure: string,
  data: Record<string, unknown> = {},
): Promise<string> {
  const config = { version: 'v2', data: { input: procedure, ...data } }
  const { status, body, text } = await team.call('POST /v2/teams/:teamId/agents', {
    body: { name: 'Tested', build: { config } },
  })
  assert.equal(status, 201, text)
  return body.agent_id
}

export async function startRun(team: TestTeam, agentId: string, body: Record<string, unknown> = {}): Promise<string> {
  const answer = await team.call('POST /v2/teams/:teamId/runs', { body: { agent_id: agentId, ...body } })
  assert.equal(answer.status, 201, answer.text)
  return answer.body.run_id
}

/** A run of the agent's live build that is ready to be written, as a starter makes it. */
export async function preparedRun(
  app: TestApp,
  team: TestTeam,
  agentId: string,
  message: unknown = 'hello',
): Promise<NewRun> {
  const [build] = await app.context.db.sql<{ id: string }>`
    select id from builds where agent_id = ${agentId} and status = 'live'`
  return engineOf(app.context).prepare({
    teamId: team.id,
    agentId,
    buildId: build!.id,
    source: 'api',
    userId: null,
    actsFor: [],
    message,
    title: 'Prepared',
    metadata: {},
    limits: { max_steps: 10, max_duration_s: 60, max_cost_usd: null, max_tokens: null },
    callbackUrl: null,
    sandboxId: null,
    parentRunId: null,
    retryOfRunId: null,
    depth: 0,
    case: null,
    isCapped: false,
  })
}

/** Everything that is due, until nothing is. */
export const drainRuns = (app: TestApp): Promise<void> => engineOf(app.context).drain()

export async function readRun(team: TestTeam, runId: string) {
  const { status, body } = await team.call(`GET /v2/runs/${runId}`)
  assert.equal(status, 200)
  return body.run
}

export interface LoggedEvent {
  sequence: number
  event: string
  // read the way a receiver reads them
  // oxlint-disable-next-line typescript/no-explicit-any
  data: any
}

/** The run's events in order, with the promise that their numbers have no gap. */
export async function readEvents(app: TestApp, runId: string): Promise<LoggedEvent[]> {
  const events = await app.context.db.sql<LoggedEvent>`
    select sequence, event, data from events where run_id = ${runId} order by sequence`
  assert.deepEqual(
    events.map(({ sequence }) => sequence),
    events.map((_, index) => index + 1),
    'events are numbered without gaps',
  )
  return events
}
