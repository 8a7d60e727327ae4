// Lists how the latest runs of each build of an agent scored, for a list of its builds.
import { part } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { pageOf, paging, readPage } from '../../kit/paging.ts'
import { Id, named, nullable, Type, type Static } from '../../kit/schema.ts'
import { lastRunsUnlessGiven } from './promotionGate.ts'

const BuildScore = named(
  'BuildScore',
  Type.Object({
    build_id: Id,
    score: nullable(Type.Number({ minimum: 0, maximum: 1, description: 'The mean share of checks that passed.' })),
    evaluated_runs: Type.Integer({
      minimum: 0,
      description: `How many runs the score is of: the latest, as many as the promotion gate asks for, or ${lastRunsUnlessGiven} without a gate.`,
    }),
  }),
)

export const listBuildScores = operation({
  id: 'listBuildScores',
  client: 'evaluations.buildScores',
  route: 'GET /v2/agents/:agent_id/build-scores',
  summary: 'List scores of builds',
  description:
    'The builds of the agent, newest first, as listAgentRevisions gives them, so that the same `limit` and `offset` give the same page.',
  scope: 'evals:read',
  query: Type.Object(paging(20, 100)),
  status: 200,
  answer: pageOf('build_scores', BuildScore),
  async handler({ team, agent, query, sql }) {
    const from = part`builds where agent_id = ${agent.id} and team_id = ${team.id}`
    const newest = { columns: part`id`, from, order: part`revision_number desc` }
    const { rows, ...page } = await readPage<{ id: string }>(sql, newest, query)
    const build_scores = await sql<Static<typeof BuildScore>>`
      select b.id as build_id, s.score, s.evaluated_runs
      from unnest(${rows.map(({ id }) => id)}::uuid[]) with ordinality as b (id, place), lateral (
        select count(*)::int as evaluated_runs, round(avg(score), 5)::float8 as score from (
          select e.score from evaluations e
          where e.build_id = b.id and e.team_id = ${team.id} and e.counts and e.status = 'ready'
          order by e.run_ended_at desc, e.id desc
          limit coalesce((select last_runs from promotion_gates where agent_id = ${agent.id} and team_id = ${team.id}),
            ${lastRunsUnlessGiven})) latest) s
      order by b.place`
    return { build_scores, ...page }
  },
})
