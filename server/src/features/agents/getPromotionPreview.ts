// Tells what promoting a build would change, and whether it would be refused, without promoting it.
import type { Sql } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { Id, named, nullable, oneOf, Time, Type, type Static } from '../../kit/schema.ts'
import { teamTimeOf } from '../../kit/teamTime.ts'
import { MadeTrigger, readyTriggers } from './builder/proposedTriggers.ts'
import { buildColumns, type Build } from './builds/build.ts'
import { BuildDiff, diffBuilds } from './builds/buildDiff.ts'
import { judgeAtGates, promotionRefusals, refusalOfBuild, refusalOfGates } from './builds/promotion.ts'

/** How many schedules are named. */
const schedulesMax = 20

const Schedule = Type.Object({ schedule_id: Id, frequency: Type.String(), next_run_at: nullable(Time) })
const Trigger = Type.Object({ trigger_id: Id, case_queue_id: Id, case_queue_name: Type.String() })

const PromotionPreview = named(
  'PromotionPreview',
  Type.Object({
    refusal: nullable(
      Type.Object(
        { code: oneOf(promotionRefusals), message: Type.String() },
        { description: 'What promoteRevision would say now. Only `gate_not_met` can be overruled, by `force_reason`.' },
      ),
    ),
    gate: nullable(
      Type.Object(
        {
          min_score: Type.Number({ minimum: 0, maximum: 1 }),
          last_runs: Type.Integer({ minimum: 1 }),
          score: nullable(Type.Number({ minimum: 0, maximum: 1 })),
          evaluated_runs: Type.Integer({ minimum: 0, description: 'How many runs the score is of.' }),
          is_open: Type.Boolean(),
        },
        { description: 'What the promotion gate of the agent says about this build; null: there is none.' },
      ),
    ),
    replay_gate: nullable(
      Type.Object(
        {
          replay_set_id: Id,
          min_match: Type.Number({ minimum: 0, maximum: 1 }),
          max_cost_usd: nullable(Type.String({ description: 'Decimal text.' })),
          replay_id: nullable(
            Type.Unsafe<string>({
              ...Id,
              description: 'The latest finished replay of this build as it is now; null: there is none.',
            }),
          ),
          match: nullable(Type.Number({ minimum: 0, maximum: 1 })),
          cost_usd: nullable(Type.String({ description: 'Decimal text.' })),
          is_open: Type.Boolean(),
        },
        { description: 'What the replay gate of the agent says about this build; null: there is none.' },
      ),
    ),
    live_build_id: nullable(Type.Unsafe<string>({ ...Id, description: 'The build that would become historic.' })),
    diff: BuildDiff,
    schedules: Type.Array(Schedule, {
      description: `Those that are enabled, and would start runs of this build: the next ${schedulesMax}.`,
    }),
    schedules_total: Type.Integer({ minimum: 0 }),
    case_trigger: nullable(Trigger),
    begins: Type.Array(MadeTrigger, {
      description: 'What was accepted with this build to start runs, is still paused, and would be switched on.',
    }),
  }),
)

export const getPromotionPreview = operation({
  id: 'getPromotionPreview',
  client: 'agents.previewPromotion',
  route: 'GET /v2/agents/:agent_id/revisions/:build_id/promotion-preview',
  summary: 'Preview a promotion',
  description:
    'What would change if this build became live now, compared with the live one, and whether promoteRevision would refuse it. Promoting a ' +
    'historic build is a rollback.',
  scope: 'agents:read',
  status: 200,
  answer: Type.Object({ preview: PromotionPreview, agent_id: Id, build_id: Id }),
  async handler({ team, agent, build, context, sql }) {
    const asked = { team, build, context, sql }
    const verdicts = await judgeAtGates(asked)
    const refusal = (await refusalOfBuild(asked)) ?? refusalOfGates(verdicts)
    const [live] = await sql<Build>`
      select ${buildColumns} from builds where agent_id = ${agent.id} and team_id = ${team.id} and status = 'live'`
    const { schedules, total } = await readSchedules(sql, team.id, agent.id)
    const [trigger] = await sql<Static<typeof Trigger>>`
      select t.id as trigger_id, t.queue_id as case_queue_id, q.name as case_queue_name
      from case_triggers t join queues q on q.id = t.queue_id
      where t.agent_id = ${agent.id} and t.team_id = ${team.id} and t.enabled`
    const preview: Static<typeof PromotionPreview> = {
      refusal: refusal ?? null,
      gate: verdicts.score ? shownGate(verdicts.score) : null,
      replay_gate: verdicts.replay ? shownGate(verdicts.replay) : null,
      live_build_id: live?.id ?? null,
      diff: teamTimeOf(context).piece(team.id, () => diffBuilds(live, build)),
      schedules,
      schedules_total: total,
      case_trigger: trigger ?? null,
      begins: await readyTriggers({ sql, context, teamId: team.id, agentId: agent.id }, build.id),
    }
    return { preview, agent_id: agent.id, build_id: build.id }
  },
})

const shownGate = <Verdict extends { refusal: string }>({ refusal: _refusal, ...gate }: Verdict) => gate

async function readSchedules(sql: Sql, teamId: string, agentId: string) {
  const rows = await sql<Static<typeof Schedule> & { total: number }>`
    select id as schedule_id, frequency, next_run_at, (count(*) over ())::int as total from schedules
    where agent_id = ${agentId} and team_id = ${teamId} and enabled order by next_run_at, id limit ${schedulesMax}`
  return { schedules: rows.map(({ total: _total, ...schedule }) => schedule), total: rows[0]?.total ?? 0 }
}
