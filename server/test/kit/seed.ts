// Teams and records for tests, made the way users make them wherever there is a way.
import { randomBytes } from 'node:crypto'
import type { Sql } from '../../src/base/db.ts'
import { newId } from '../../src/base/ids.ts'
import { issueApiKey } from '../../src/features/credentials/apiKey.ts'
import { createTeam } from '../../src/features/teams/team.ts'
import type { Answer, CallOptions, TestApp } from './testApp.ts'

export interface TestTeam {
  id: string
  memberId: string
  key: string
  keyId: string
  /** A call with this team's key; `:teamId` in the route stands for its id. */
  call: (route: string, options?: CallOptions) => Promise<Answer>
  /** For what no user can do. */
  sql: Sql
}

export async function seedTeam(app: TestApp, options: { scopes?: string[]; name?: string } = {}): Promise<TestTeam> {
  const { teamId, memberId, keyId, key } = await app.context.db.transaction(async (sql) => {
    const team = await createTeam(sql, { name: options.name ?? 'Test team', memberName: 'Tester' })
    const scopes = options.scopes ?? ['*']
    const { apiKey, secret } = await issueApiKey(sql, { ...team, name: 'test', scopes })
    return { ...team, keyId: apiKey.id, key: secret }
  })
  return {
    id: teamId,
    memberId,
    key,
    keyId,
    call: (route, callOptions) => app.call(route.replace(':teamId', teamId), { key, ...callOptions }),
    sql: app.context.db.sql,
  }
}

const unique = () => randomBytes(4).toString('hex')

/** The records that stand before this one in a path, by their nouns: what it is made below. */
type Above = Readonly<Record<string, string>>

/** For each resource that a path can name: makes one and gives its id. A feature with a new resource adds a line here. */
export const seeders: Record<string, (team: TestTeam, above: Above) => Promise<string>> = {
  member: async (team) => {
    const { body } = await team.call('POST /v2/teams/:teamId/members', { body: { name: `Member ${unique()}` } })
    return body.member_id
  },
  key: async (team) => {
    const { body } = await team.call('POST /v2/teams/:teamId/api-keys', { body: { name: `Key ${unique()}` } })
    return body.key_id
  },
  client: async (team) => {
    const { body } = await team.call('POST /v2/teams/:teamId/oauth-clients', { body: { name: `Client ${unique()}` } })
    return body.client_id
  },
  agent: async (team) => {
    const { body } = await team.call('POST /v2/teams/:teamId/agents', { body: { name: `Agent ${unique()}` } })
    return body.agent_id
  },
  build: async (team, above) => {
    const agentId = above['agent'] ?? (await seeders['agent']!(team, above))
    const { body } = await team.call(`POST /v2/agents/${agentId}/revisions`, { body: { name: `Build ${unique()}` } })
    return body.build_id
  },
  path: async (team, above) => {
    const path = `notes/${unique()} 1.md`
    const route = `PUT /v2/agents/${above['agent']}/memory/files/${encodeURIComponent(path)}`
    const { body } = await team.call(route, { body: { content: 'One thing to remember.' } })
    return body.path
  },
  /** One that has ended: most of what can be done to a run needs that. */
  run: async (team, above) => {
    const agentId = above['agent'] ?? (await seeders['agent']!(team, above))
    const { body } = await team.call('POST /v2/teams/:teamId/runs', {
      body: { agent_id: agentId, message: `Check invoice ${unique()}`, metadata: { from: 'seed' } },
    })
    await team.call(`POST /v2/runs/${body.run_id}/stop`)
    return body.run_id
  },
  /** An approval that its run waits for, as the engine leaves both. */
  request: async (team, above) => {
    const runId = above['run'] ?? (await seeders['run']!(team, above))
    const id = newId()
    await waitFor(team, runId, id)
    const action = { tool: 'human_approve', arguments: { title: 'Pay invoice 4711?' }, hash: 'a'.repeat(64) }
    await team.sql`
      insert into human_requests (id, team_id, run_id, step, type, title, action)
      values (${id}, ${team.id}, ${runId}, 1, 'approval', 'Pay invoice 4711?', ${JSON.stringify(action)}::jsonb)`
    return id
  },
}

/** Takes an ended run through the states to where it waits for this request. */
async function waitFor({ sql, id: teamId }: TestTeam, runId: string, requestId: string): Promise<void> {
  const waitingOn = { kind: 'human', detail: { human_request_id: requestId, title: 'Pay invoice 4711?' } }
  const since = new Date().toISOString()
  await sql`update runs set status = 'pending', completed_at = null where id = ${runId} and team_id = ${teamId}`
  await sql`update runs set status = 'running', started_at = now() where id = ${runId} and team_id = ${teamId}`
  await sql`
    update runs set status = 'waiting', waiting_on = ${JSON.stringify({ ...waitingOn, since })}::jsonb
    where id = ${runId} and team_id = ${teamId}`
  await sql`
    insert into run_steps (run_id, seq, turn, kind, tool, arguments, state, result, started_at)
    values (${runId}, 1, 1, 'human', 'human_approve', '{"title": "Pay invoice 4711?"}', 'waiting',
      ${JSON.stringify({ waiting_on: waitingOn })}::jsonb, now())`
}
