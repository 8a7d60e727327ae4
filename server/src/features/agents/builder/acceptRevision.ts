// Takes what a builder run proposes into its draft.
import { operation } from '../../../kit/operation.ts'
import { Id, Type } from '../../../kit/schema.ts'
import { Build } from '../builds/build.ts'
import { lockBuild } from './builderRun.ts'
import { findDecided, ReviewGuard } from './reviewGuard.ts'
import { MadeTrigger, makeTriggers } from './proposedTriggers.ts'
import { takeProposal } from './takeProposal.ts'
import { requireUsable } from '../builds/usableConfig.ts'

export const acceptRevision = operation({
  id: 'acceptRevision',
  client: 'agents.acceptRevision',
  route: 'POST /v2/revisions/:build_id/accept',
  summary: 'Accept what the builder proposes',
  description:
    'The draft gets the proposed config, and the builder run is completed. Proposed triggers are made with it, for you and paused. Promote the ' +
    'draft to make it live: that also switches them on, unless you changed them. A webhook whose senders prove themselves stays paused until ' +
    'you give its secret.',
  scope: 'agents:write',
  body: Type.Object(
    {
      ...ReviewGuard.properties,
      make_triggers: Type.Optional(
        Type.Boolean({ description: 'False: only the config is taken, and no trigger is made. True if absent.' }),
      ),
    },
    { examples: [{}] },
  ),
  status: 200,
  answer: Type.Object({
    success: Type.Literal(true),
    build: Build,
    build_id: Id,
    triggers: Type.Array(MadeTrigger, {
      description: 'What was made to start runs, paused until the draft is promoted.',
    }),
  }),
  errors: ['case_trigger_exists', 'conflict', 'insufficient_scope', 'invalid_request', 'not_found', 'stale_review'],
  // the procedure was checked when it was proposed; the rest of the config, and the server, may have changed since
  async prepare({ team, build, body, context, sql, fail }) {
    const decided = await findDecided(sql, { buildId: build.id, teamId: team.id, guard: body, fail })
    if (decided?.proposed_config) await requireUsable(decided.proposed_config, { sql, context, team, fail })
  },
  async handler({ team, caller, build, body, context, sql, fail }) {
    if (!(await lockBuild(sql, build, team.id))) return fail('not_found')
    const decided = await findDecided(sql, { buildId: build.id, teamId: team.id, guard: body, fail })
    if (decided?.status !== 'review') {
      return fail(
        'conflict',
        `There is nothing to review. ${decided ? waitFor[decided.status] : 'POST …/generate begins.'}`,
      )
    }
    const who = { teamId: team.id, memberId: caller.member_id }
    const accepted = await takeProposal(sql, { builderRunId: decided.id, ...who, line: 'Accepted.' })
    if (!accepted) return fail('conflict')
    const wanted = body.make_triggers === false ? [] : (decided.proposed_triggers ?? [])
    const ofAgent = { sql, context, teamId: team.id, agentId: accepted.agent_id }
    const triggers = await makeTriggers(ofAgent, { starter: caller, builderRunId: decided.id, wanted })
    return { success: true as const, build: accepted, build_id: accepted.id, triggers }
  },
})

const waitFor: Record<string, string> = {
  pending: 'The builder run has not begun yet. Wait for it.',
  running: 'The builder run is still at work. Wait for it.',
  waiting: 'The builder run waits for your answers. POST …/resume gives them.',
}
