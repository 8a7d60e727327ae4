// Drafts and builder runs for tests, made the way users make them.
import assert from 'node:assert/strict'
import type { TestTeam } from './seed.ts'

export interface Draft {
  agentId: string
  buildId: string
}

/** An agent with a draft beside its live build, both with this procedure. */
export async function newDraft(team: TestTeam, procedure: string, data: Record<string, unknown> = {}): Promise<Draft> {
  const config = { version: 'v2', data: { input: procedure, ...data } }
  const agent = await team.call('POST /v2/teams/:teamId/agents', { body: { name: 'Clerk', build: { config } } })
  assert.equal(agent.status, 201, agent.text)
  const draft = await team.call(`POST /v2/agents/${agent.body.agent_id}/revisions`)
  return { agentId: agent.body.agent_id, buildId: draft.body.build_id }
}

/** Begins a builder run and answers with its id. */
export async function generate(team: TestTeam, buildId: string, body: Record<string, unknown> = {}): Promise<string> {
  const answer = await team.call(`POST /v2/revisions/${buildId}/generate`, { body })
  assert.equal(answer.status, 202, answer.text)
  return answer.body.builder_run_id
}

export async function readBuilderRun(team: TestTeam, id: string) {
  const { status, body, text } = await team.call(`GET /v2/builder-runs/${id}/status`)
  assert.equal(status, 200, text)
  const texts = body.builder_run.progress.map((line: { text: string }) => line.text)
  assert.equal(new Set(texts).size, texts.length, `a line of progress is told twice: ${JSON.stringify(texts)}`)
  return body.builder_run
}
