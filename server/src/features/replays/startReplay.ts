// Replays a build against the recordings of a set: in the background, with nothing of the outside world.
import { idForFilter } from '../../base/ids.ts'
import { operation } from '../../kit/operation.ts'
import { Type, wrapped } from '../../kit/schema.ts'
import { beginReplay, keptMax, runningMax } from './beginReplay.ts'
import { Replay, replayFields } from './replay.ts'

export const startReplay = operation({
  id: 'startReplay',
  client: 'replays.start',
  route: 'POST /v2/replay-sets/:replay_set_id/replays',
  summary: 'Replay a build',
  description:
    'Every recording of the set is replayed with the build as it is now. A runbook needs no model; any other build’s model answers live, and is paid for: ' +
    '`max_cost_usd` bounds that. Tools and people answer from the record, and a call that is not in it is a finding and is never made. ' +
    `A team has at most ${runningMax} replays under way, and an agent keeps its latest ${keptMax}. Reports count as storage of the team; one that does not fit is left out, and its figures stay.`,
  scope: 'evals:write',
  body: Type.Object(
    {
      build_id: Type.Optional(
        Type.String({ description: 'A build of the agent of the set; the live one unless given.' }),
      ),
      max_cost_usd: Type.Optional(replayFields.max_cost_usd),
    },
    { examples: [{ max_cost_usd: '2.50' }] },
  ),
  status: 202,
  answer: wrapped('replay', 'replay_id', Replay),
  errors: ['conflict', 'entitlement_exceeded', 'invalid_request', 'not_found'],
  async handler({ team, caller, replay_set, body, context, sql, fail }) {
    const wanted = body.build_id === undefined ? null : idForFilter(body.build_id)
    const [build] = await sql<{ id: string; config: unknown }>`
      select b.id, b.config from builds b join agents a on a.id = b.agent_id
      where b.agent_id = ${replay_set.agent_id} and b.team_id = ${team.id} and a.deleted_at is null
        and case when ${wanted}::uuid is null then b.status = 'live' else b.id = ${wanted} end`
    if (!build) return fail('not_found', 'The agent of this set has no build with this build_id.')
    const wantedReplay = { sql, context, teamId: team.id, agentId: replay_set.agent_id, setId: replay_set.id, build }
    const begun = await beginReplay({
      ...wantedReplay,
      maxCostUsd: body.max_cost_usd ?? null,
      memberId: caller.member_id,
    })
    if ('refusal' in begun) return fail(begun.refusal.code, begun.refusal.message)
    return { replay: begun.replay, replay_id: begun.replay.id }
  },
})
