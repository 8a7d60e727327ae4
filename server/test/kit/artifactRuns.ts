// Hidden agents and runs with source artifact for tests, made as the feature of artifacts makes them.
import { newId } from '../../src/base/ids.ts'
import { parseBuildConfig } from '../../src/engine/builds/buildConfig.ts'
import { engineOf } from '../../src/engine/engine.ts'
import { hiddenAgentsOf } from '../../src/kit/registry.ts'
import type { TestTeam } from './seed.ts'
import type { TestApp } from './testApp.ts'

export interface Hidden {
  agentId: string
  buildIds: string[]
}

export const configOf = (input: string, data: object = {}) => ({ version: 'v2', data: { input, ...data } })

/** A hidden agent of the team's first member, with a draft for each config. */
export const seedHiddenAgent = (app: TestApp, team: TestTeam, configs: object[]): Promise<Hidden> =>
  app.context.db.transaction((sql) =>
    hiddenAgentsOf(app.context).create({
      sql,
      teamId: team.id,
      name: 'Behind a page',
      createdBy: team.memberId,
      configs,
    }),
  )

/** An artifact of the team's first member, without a page. */
export async function seedArtifact(
  app: TestApp,
  team: TestTeam,
  wanted: { visibility?: 'private' | 'team' | 'public'; config?: object } = {},
): Promise<Hidden> {
  const config = wanted.config ?? configOf('```output\ndone\n```\n')
  const hidden = await seedHiddenAgent(app, team, [config, config])
  const visibility = wanted.visibility ?? 'private'
  const publicKey = visibility === 'public' ? newId() : null
  await app.context.db.sql`
    insert into artifacts (id, team_id, agent_id, page_build_id, work_build_id, created_by_user_id, acts_for, kind, status, visibility, public_key)
    values (${newId()}, ${team.id}, ${hidden.agentId}, ${hidden.buildIds[0]}, ${hidden.buildIds[1]}, ${team.memberId}, array[${team.memberId}::uuid], 'dashboard',
      'not_started', ${visibility}, ${publicKey})`
  return hidden
}

/** Starts a run of one of its drafts, on behalf of the team's first member. */
export async function startArtifactRun(
  app: TestApp,
  team: TestTeam,
  { agentId, buildIds: [buildId] }: Hidden,
  wanted: { title?: string; message?: unknown } = {},
): Promise<string> {
  const engine = engineOf(app.context)
  const { sql } = app.context.db
  const [build] = await sql<{ id: string; config: unknown }>`select id, config from builds where id = ${buildId}`
  if (!build) throw new Error('the hidden agent has no build')
  const run = await engine.prepare({
    teamId: team.id,
    agentId,
    buildId: build.id,
    source: 'artifact',
    userId: team.memberId,
    actsFor: [team.memberId],
    message: wanted.message ?? null,
    title: wanted.title ?? 'Make the page',
    metadata: {},
    limits: parseBuildConfig(build.config).limits,
    callbackUrl: null,
    sandboxId: null,
    parentRunId: null,
    retryOfRunId: null,
    depth: 0,
    case: null,
    isCapped: false,
  })
  const created = await app.context.db.transaction((transaction) => engine.create(transaction, [run]))
  if (created.length === 0) throw new Error('no run was made')
  return run.id
}
