// Lists the evaluated runs of an agent, the worst first: all, those of a build, or those in which one check did not pass.
import { empty, part } from '../../base/db.ts'
import { idForFilter } from '../../base/ids.ts'
import { operation } from '../../kit/operation.ts'
import { pageOf, paging, readPage } from '../../kit/paging.ts'
import { Id, instant, named, nullable, oneOf, Time, Type, type Static } from '../../kit/schema.ts'
import { severities } from '../../kit/states.ts'
import { verdicts } from './runMark.ts'

/** How many of the latest evaluations are looked at. */
const latestMax = 5000
const dayMs = 86_400_000
/** Each is up to 2,000 characters. */
const notesMax = 5

const EvaluatedRun = named(
  'EvaluatedRun',
  Type.Object({
    run_id: Id,
    run_number: Type.Integer(),
    run_title: Type.String(),
    build_id: Id,
    run_ended_at: Time,
    score: nullable(Type.Number({ minimum: 0, maximum: 1, description: 'The share of checks that passed.' })),
    failed: Type.Array(Type.Object({ flag: Type.String(), label: Type.String(), severity: oneOf(severities) }), {
      description: 'What did not pass.',
    }),
    marked_good: Type.Integer({ minimum: 0, description: 'How many members marked the run as good.' }),
    marked_bad: Type.Integer({ minimum: 0 }),
    own_mark: nullable(oneOf(verdicts, { description: 'Your own mark.' })),
    mark_notes: Type.Array(Type.Object({ member_id: Id, verdict: oneOf(verdicts), note: Type.String() }), {
      description: `What members wrote with their marks, the latest ${notesMax}. listRunMarks has all.`,
    }),
  }),
)

export const listEvaluatedRuns = operation({
  id: 'listEvaluatedRuns',
  client: 'evaluations.listRuns',
  route: 'GET /v2/agents/:agent_id/evaluated-runs',
  summary: 'List evaluated runs',
  description:
    `The worst first, and of equal ones the latest. Of the time asked for, the latest ${latestMax} evaluated runs are looked at; \`total\` counts those of them ` +
    'that fit.',
  scope: 'evals:read',
  query: Type.Object({
    since: Type.Optional(instant('Runs that ended then or later; 30 days ago unless given.')),
    until: Type.Optional(instant('Runs that ended before this time.')),
    build_id: Type.Optional(
      Type.String({ description: 'Only runs of this build whose evaluation is `ready`, as its score counts them.' }),
    ),
    flag: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'Only runs in which this check did not pass.',
        examples: ['limits_kept'],
      }),
    ),
    ...paging(20, 100),
  }),
  status: 200,
  answer: pageOf('evaluated_runs', EvaluatedRun),
  async handler({ team, agent, caller, query, context, sql }) {
    const since = query.since ?? new Date(context.clock.now().getTime() - 30 * dayMs).toISOString()
    const buildId = query.build_id === undefined ? null : idForFilter(query.build_id)
    const until = query.until === undefined ? empty : part`and run_ended_at < ${query.until}`
    // as the score of a build counts them, by their own index
    const ofBuild = buildId === null ? empty : part`and build_id = ${buildId} and status = 'ready'`
    const from = part`
      (select id, run_id, build_id, run_ended_at, score, failed from evaluations
        where agent_id = ${agent.id} and team_id = ${team.id} and counts and run_ended_at >= ${since} ${until} ${ofBuild}
        order by run_ended_at desc limit ${latestMax}) latest
      where ${query.flag ?? null}::text is null or ${query.flag ?? null} = any(latest.failed)`
    const columns = part`latest.*`
    const order = part`latest.score asc nulls last, latest.run_ended_at desc, latest.id`
    const { rows, ...page } = await readPage<{ id: string }>(sql, { columns, from, order }, query)
    const evaluated_runs = await sql<Static<typeof EvaluatedRun>>`
      select e.run_id, r.run_number, r.title as run_title, e.build_id, e.run_ended_at, e.score::float8 as score,
        coalesce((select jsonb_agg(jsonb_build_object('flag', f ->> 'flag', 'label', f ->> 'label', 'severity', f ->> 'severity'))
          from jsonb_array_elements(e.results) f where f -> 'passed' = 'false'), '[]') as failed,
        m.good as marked_good, m.bad as marked_bad, m.own as own_mark, m.notes as mark_notes
      from unnest(${rows.map(({ id }) => id)}::uuid[]) with ordinality as listed (id, place)
      join evaluations e on e.id = listed.id and e.team_id = ${team.id}
      join runs r on r.id = e.run_id and r.team_id = ${team.id}, lateral (
        select count(*) filter (where verdict = 'good')::int as good, count(*) filter (where verdict = 'bad')::int as bad,
          min(verdict) filter (where member_id = ${caller.member_id}) as own,
          coalesce(to_jsonb((array_agg(jsonb_build_object('member_id', member_id, 'verdict', verdict, 'note', note) order by marked_at desc)
            filter (where note is not null))[1:${notesMax}::int]), '[]') as notes
        from run_marks where run_id = e.run_id and team_id = ${team.id}) m
      order by listed.place`
    return { evaluated_runs, ...page }
  },
})
