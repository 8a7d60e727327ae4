// Artifacts for tests, made the way users make them.
import assert from 'node:assert/strict'
import type { TestTeam } from './seed.ts'
import { drainRuns } from './runs.ts'
import type { TestApp } from './testApp.ts'

const fenced = (info: string, body: string): string => `\`\`\`${info}\n${body}\n\`\`\`\n`

/** A message that is a procedure itself: a step that reads the page as it is, and a template that shows a word. */
export const pageMessage = (word: string, steps = fenced('tool name=artifact_read id=page', '{}')): string =>
  `${steps}\n${fenced('html', `<h1>${word}</h1>\n<p>{{ data.page.title }}</p>`)}`

export { fenced }

export async function createArtifact(team: TestTeam, body: Record<string, unknown> = {}): Promise<string> {
  const answer = await team.call('POST /v2/artifacts', {
    body: { message: pageMessage('First'), title: 'Tested', ...body },
  })
  assert.equal(answer.status, 201, answer.text)
  return answer.body.artifact_id
}

/** An artifact whose first page is there. */
export async function finishedArtifact(app: TestApp, team: TestTeam, body?: Record<string, unknown>): Promise<string> {
  const id = await createArtifact(team, body)
  await drainRuns(app)
  const artifact = await readArtifact(team, id)
  assert.equal(artifact.status, 'completed', JSON.stringify(artifact))
  return id
}

export async function readArtifact(team: TestTeam, id: string) {
  const { status, body, text } = await team.call(`GET /v2/artifacts/${id}`)
  assert.equal(status, 200, text)
  return body.artifact
}

export const send = (team: TestTeam, id: string, message: string, more: object = {}) =>
  team.call(`POST /v2/artifacts/${id}/messages`, { body: { message, ...more } })
