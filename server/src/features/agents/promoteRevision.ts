// Makes a build the live one of its agent, and the former live one historic.
import { operation } from '../../kit/operation.ts'
import { Id, Type } from '../../kit/schema.ts'
import { Build, buildColumns, RevisionDescription, RevisionName } from './builds/build.ts'
import { hasActiveBuilder, isActive } from './builder/builderRun.ts'
import { beginTriggers } from './builder/proposedTriggers.ts'
import { passGates, refusalOfBuild } from './builds/promotion.ts'

export const promoteRevision = operation({
  id: 'promoteRevision',
  client: 'agents.promoteRevision',
  route: 'POST /v2/revisions/:build_id/promote',
  summary: 'Promote a revision',
  description:
    'A draft, or a historic build (a rollback), becomes live. Runs under way keep the build they began with. Triggers that were accepted with ' +
    'the draft are switched on.',
  scope: 'agents:write',
  body: Type.Object({
    revision_name: Type.Optional(RevisionName),
    revision_description: Type.Optional(RevisionDescription),
    force_reason: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        description: 'Why to promote it although it fails a promotion gate of the agent. Stored.',
        examples: ['Rolls back a build that loses mail.'],
      }),
    ),
  }),
  status: 200,
  answer: Type.Object({ success: Type.Literal(true), build: Build, build_id: Id }),
  errors: ['already_live', 'builder_run_active', 'gate_not_met', 'invalid_request', 'not_found'],
  emits: ['assignment.build.published'],
  async prepare({ team, build, context, sql, fail }) {
    const refusal = await refusalOfBuild({ team, build, context, sql })
    if (refusal) fail(refusal.code, refusal.message)
  },
  async handler({ team, caller, build, body, context, sql, emit, fail }) {
    // all promotions of an agent, and the starts of its builder runs, lock its row one after the other: each sees what the one before it left
    const agents = await sql`
      update agents set updated_at = now()
      where id = ${build.agent_id} and team_id = ${team.id} and deleted_at is null returning id`
    if (agents.length === 0) fail('not_found')
    // first the old one, then the new one: at no moment are there two
    const [former] = await sql<{ id: string }>`
      update builds set status = 'historic', updated_at = now()
      where agent_id = ${build.agent_id} and team_id = ${team.id} and status = 'live' and id <> ${build.id} returning id`
    const [live] = await sql<Build>`
      update builds set
        status = 'live',
        published_at = now(),
        updated_at = now(),
        revision_name = case when ${'revision_name' in body} then ${body.revision_name ?? null} else revision_name end,
        revision_description = case when ${'revision_description' in body}
          then ${body.revision_description ?? null} else revision_description end
      where id = ${build.id} and team_id = ${team.id} and status in ('draft', 'historic')
        and not exists (select from builder_runs where build_id = ${build.id} and team_id = ${team.id} and ${isActive})
      returning ${buildColumns}`
    if (!live) return fail((await hasActiveBuilder(sql, build.id, team.id)) ? 'builder_run_active' : 'already_live')
    const who = { memberId: caller.member_id, forceReason: body.force_reason }
    const refusal = await passGates({ team, build: live, context, sql }, who)
    if (refusal) fail(refusal.code, refusal.message)
    await beginTriggers({ sql, context, teamId: team.id, agentId: live.agent_id }, live.id)
    await emit('assignment.build.published', {
      agent_id: live.agent_id,
      build_id: live.id,
      revision_number: live.revision_number,
      previous_build_id: former?.id ?? null,
    })
    return { success: true as const, build: live, build_id: live.id }
  },
})
