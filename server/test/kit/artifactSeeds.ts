// Artifacts for tests of single operations. Their pages stand in the rows as the end of a run leaves them, so no engine is needed.
import { newId } from '../../src/base/ids.ts'
import type { TestTeam } from './seed.ts'

/** One whose page is there, and on which nothing works: most of what can be done to an artifact needs that. */
export async function seedArtifact(team: TestTeam): Promise<string> {
  const id = await artifactAtWork(team)
  await team.call(`POST /v2/artifacts/${id}/stop`)
  const revisionId = newId()
  await team.sql`
    insert into artifact_revisions (id, team_id, artifact_id, version, procedure, html, data, data_at)
    values (${revisionId}, ${team.id}, ${id}, 1, '', '<p>Seeded</p>', '{}', now())`
  await team.sql`
    update artifacts set current_revision_id = ${revisionId}, revisions_count = 1, status = 'completed'
    where id = ${id} and team_id = ${team.id}`
  return id
}

async function artifactAtWork(team: TestTeam): Promise<string> {
  const { body } = await team.call('POST /v2/artifacts', { body: { message: 'Made for a test', template: 'blank' } })
  return body.artifact_id
}

/** One whose work asks the question of the document's example. */
export async function artifactThatAsks(team: TestTeam): Promise<string> {
  const id = await artifactAtWork(team)
  const requestId = newId()
  const questions = [{ question: 'Which page do you want?' }]
  const [run] = await team.sql<{
    run_id: string
  }>`select run_id from artifacts where id = ${id} and team_id = ${team.id}`
  const waitingOn = { kind: 'human', detail: { human_request_id: requestId }, since: new Date().toISOString() }
  const runId = run?.run_id ?? null
  await team.sql`update runs set status = 'running', started_at = now() where id = ${runId} and team_id = ${team.id}`
  await team.sql`
    update runs set status = 'waiting', waiting_on = ${JSON.stringify(waitingOn)}::jsonb where id = ${runId} and team_id = ${team.id}`
  await team.sql`
    insert into human_requests (id, team_id, run_id, step, type, title, questions)
    values (${requestId}, ${team.id}, ${runId}, 1, 'question', 'A question', ${JSON.stringify(questions)}::jsonb)`
  return id
}

/** Attaches the connection to the artifact that stands before it in the path. */
export async function attachedConnection(
  team: TestTeam,
  above: Readonly<Record<string, string>>,
  connectionId: string,
): Promise<string> {
  await team.call(`POST /v2/artifacts/${above['artifact']}/connections`, { body: { connection_id: connectionId } })
  return connectionId
}
