// Makes a build the live one of its agent, and the former live one historic.
import { operation } from '../../kit/operation.ts'
import { Id, Type } from '../../kit/schema.ts'
import { Build, RevisionDescription, RevisionName } from './builds/build.ts'
import { ForceReason, promote } from './builds/promote.ts'
import { refusalOfBuild } from './builds/promotion.ts'

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
    force_reason: Type.Optional(ForceReason),
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
    const { force_reason: forceReason, ...names } = body
    const promoted = await promote({ sql, context, team, build, memberId: caller.member_id, forceReason, names })
    if ('refusal' in promoted) return fail(promoted.refusal.code, promoted.refusal.message)
    const { live, published } = promoted
    await emit('assignment.build.published', published)
    return { success: true as const, build: live, build_id: live.id }
  },
})
