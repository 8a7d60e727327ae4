// The gate before a promotion: what a build's latest runs must have scored before it may become live, and who bypassed it.
import { part, type Sql } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import type { GateVerdict, PromotionGate as Gate } from '../../kit/feature.ts'
import { Id, named, nullable, Time, Type, type Static } from '../../kit/schema.ts'

/** How many of the latest evaluated runs count where nobody said. */
export const lastRunsUnlessGiven = 10

export const gateFields = {
  min_score: Type.Number({
    minimum: 0,
    maximum: 1,
    description: 'The least mean share of checks that passed.',
    examples: [0.9],
  }),
  last_runs: Type.Integer({
    minimum: 1,
    maximum: 1000,
    description: 'How many of the latest evaluated runs count.',
    examples: [10],
  }),
}

const PromotionGate = named('PromotionGate', Type.Object({ ...gateFields, updated_by: nullable(Id), updated_at: Time }))

const ForcedPromotion = named(
  'ForcedPromotion',
  Type.Object({
    id: Id,
    build_id: Id,
    reason: Type.String(),
    score: nullable(Type.Number({ description: 'What the build had scored at that moment.' })),
    evaluated_runs: Type.Integer({ minimum: 0 }),
    ...gateFields,
    forced_by: nullable(Id),
    created_at: Time,
  }),
)

export const GateAnswer = Type.Object({
  promotion_gate: nullable(PromotionGate),
  agent_id: Id,
  forced_promotions: Type.Array(ForcedPromotion, { description: 'The latest 20, newest first.' }),
})

const gateColumns = part`min_score::float8, last_runs, updated_by, updated_at`

export async function readGate(sql: Sql, teamId: string, agentId: string): Promise<Static<typeof GateAnswer>> {
  const [gate] = await sql<Static<typeof PromotionGate>>`
    select ${gateColumns} from promotion_gates where agent_id = ${agentId} and team_id = ${teamId}`
  const forced = await sql<Static<typeof ForcedPromotion>>`
    select id, build_id, reason, score::float8, evaluated_runs, min_score::float8, last_runs, forced_by, created_at
    from forced_promotions where agent_id = ${agentId} and team_id = ${teamId} order by id desc limit 20`
  return { promotion_gate: gate ?? null, agent_id: agentId, forced_promotions: forced }
}

type Measured = Omit<GateVerdict, 'refusal'>

export const promotionGate: Gate = {
  /** The latest finished evaluation of each run counts, if it is ready. */
  async judge({ sql, teamId, agentId, buildId }) {
    const [measured] = await sql<Measured>`
      select g.min_score::float8, g.last_runs, s.evaluated_runs::int, round(s.score, 5)::float8 as score,
        s.evaluated_runs >= g.last_runs and round(s.score, 5) >= g.min_score as is_open
      from promotion_gates g, lateral (
        select count(*) as evaluated_runs, avg(score) as score from (
          select e.score from evaluations e
          where e.build_id = ${buildId} and e.team_id = ${teamId} and e.counts and e.status = 'ready'
          order by e.run_ended_at desc, e.id desc limit g.last_runs) latest) s
      where g.agent_id = ${agentId} and g.team_id = ${teamId}`
    return measured && { ...measured, refusal: refusal(buildId, measured) }
  },
  async bypass({ sql, teamId, agentId, buildId, verdict, memberId, reason }) {
    const { score, evaluated_runs, min_score, last_runs } = verdict
    await sql`
      insert into forced_promotions (id, team_id, agent_id, build_id, reason, score, evaluated_runs, min_score, last_runs, forced_by)
      values (${newId()}, ${teamId}, ${agentId}, ${buildId}, ${reason}, ${score}, ${evaluated_runs}, ${min_score}, ${last_runs}, ${memberId})`
  },
}

function refusal(buildId: string, { score, evaluated_runs, min_score, last_runs }: Measured): string {
  const asks = `The promotion gate asks for a score of at least ${min_score} over the last ${last_runs} evaluated runs.`
  const force = 'or give force_reason to promote it all the same.'
  if (evaluated_runs < last_runs) {
    const has =
      evaluated_runs === 0 ? 'This build has none' : `This build has ${evaluated_runs}, with a score of ${score}`
    return `${asks} ${has}. Start ${last_runs - evaluated_runs} more with "build_id": "${buildId}" and promote it when they are evaluated, ${force}`
  }
  return `${asks} Those of this build score ${score}. Look at what did not pass in its runs, improve it and run it again, ${force}`
}
