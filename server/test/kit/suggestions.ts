// Agents whose runs fail a check again and again, and the suggestions about them, made the way the service makes them.
import assert from 'node:assert/strict'
import { drainEvaluations } from '../../src/features/evaluations/evaluator.ts'
import { suggestFixes } from '../../src/features/agents/suggestions/suggestFixes.job.ts'
import { drainReplays } from '../../src/features/replays/replaying/replayer.ts'
import type { Context } from '../../src/kit/context.ts'
import type { FakeAnswer } from '../fakes/fakeProvider.ts'
import { drainRuns, seedAgent, startRun } from './runs.ts'
import type { TestTeam } from './seed.ts'
import type { TestApp } from './testApp.ts'

/** It fails for every message that is not a number, and so does not end by itself. */
export const brittle = '# Double\n\n```output id=end\n{{ message | number }}\n```\n'
/** It takes every message. */
export const sturdy = '# Double\n\n```output id=end\n{{ message }}\n```\n'

/** Runs need no model; the builder has the one of the server. */
const data = { models: { agent: { model: 'builtin:runbook' } } }

/** What the model of a builder answers. */
export const proposes = (procedure: string): FakeAnswer => ({
  text: JSON.stringify({ procedure, questions: [] }),
  usage: { input: 100, output: 20 },
})

export async function runAll(app: TestApp, team: TestTeam, agentId: string, messages: string[]): Promise<void> {
  for (const message of messages) await startRun(team, agentId, { message })
  await drainRuns(app)
  await drainEvaluations(app.context)
}

/** An agent with suggestions switched on, two runs of which failed and one did not. */
export async function failingAgent(app: TestApp, team: TestTeam, settings: object = {}): Promise<string> {
  const agentId = await seedAgent(team, brittle, data)
  await switchOn(team, agentId, settings)
  await runAll(app, team, agentId, ['7', 'one', 'two'])
  return agentId
}

export async function switchOn(team: TestTeam, agentId: string, settings: object = {}): Promise<void> {
  const body = { is_on: true, failures: 2, of_runs: 5, ...settings }
  const set = await team.call(`PUT /v2/agents/${agentId}/suggestion-settings`, { body })
  assert.equal(set.status, 200, set.text)
}

/** One round of the job that looks for failing checks and brings suggestions forward. */
export const suggestRound = (context: Context): Promise<void> =>
  suggestFixes.handler({ context, sql: context.db.sql, input: {}, signal: new AbortController().signal })

/** Goes as far as it comes without a person: looked for, drafted, replayed. */
export async function suggestAll(app: TestApp): Promise<void> {
  await suggestRound(app.context)
  await app.drain()
  await suggestRound(app.context)
  await drainReplays(app.context)
  await suggestRound(app.context)
}

export async function suggestionsOf(team: TestTeam, agentId: string) {
  const { status, body, text } = await team.call(`GET /v2/agents/${agentId}/suggestions`)
  assert.equal(status, 200, text)
  return body.suggestions
}

export async function readSuggestion(team: TestTeam, id: string) {
  const { status, body, text } = await team.call(`GET /v2/suggestions/${id}`)
  assert.equal(status, 200, text)
  return body.suggestion
}
