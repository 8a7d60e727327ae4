// Reports how often the evaluations of an agent's runs agree with what people think of them.
import { part, type Part } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { Id, instant, nullable, Type } from '../../kit/schema.ts'
import { markColumns, RunMark } from './runMark.ts'

/** How many marks are compared, and how many disagreements are listed. */
const marksMax = 10_000
const listedMax = 20

const count = Type.Integer({ minimum: 0 })

interface Totals {
  good_passed: number
  good_with_issues: number
  bad_passed: number
  bad_with_issues: number
  not_evaluated: number
}

export const getMarkAgreement = operation({
  id: 'getMarkAgreement',
  client: 'evaluations.markAgreement',
  route: 'GET /v2/agents/:agent_id/mark-agreement',
  summary: 'Compare evaluations with people’s marks',
  description:
    `The latest ${marksMax} marks of the agent’s runs, each beside the latest finished evaluation of its run. They agree if a good run had no issue or a bad ` +
    `run had one. \`agreement\` is the share that agrees, null without a marked run that is evaluated. \`disagreements\` lists the latest ${listedMax}: there ` +
    'a check or a rubric may be wrong.',
  scope: 'evals:read',
  query: Type.Object({ since: Type.Optional(instant('Marks from then on; all unless given.')) }),
  status: 200,
  answer: Type.Object({
    agreement: nullable(Type.Number({ minimum: 0, maximum: 1 })),
    good_passed: count,
    good_with_issues: count,
    bad_passed: count,
    bad_with_issues: count,
    not_evaluated: Type.Integer({ minimum: 0, description: 'Marks of runs without a finished evaluation.' }),
    disagreements: Type.Array(
      Type.Object({
        ...RunMark.properties,
        run_number: Type.Integer(),
        run_title: Type.String(),
        failed: Type.Array(Type.String(), { description: 'The flags that did not pass.' }),
      }),
    ),
    agent_id: Id,
  }),
  async handler({ team, agent, query, sql }) {
    const marked = part`
      (select * from run_marks where agent_id = ${agent.id} and team_id = ${team.id}
        and marked_at >= coalesce(${query.since ?? null}::timestamptz, '-infinity')
      order by marked_at desc limit ${marksMax}) run_marks
      left join evaluations e on e.run_id = run_marks.run_id and e.counts and e.team_id = ${team.id}`
    const [found] = await sql<Totals>`
      select ${fits('good', false)} as good_passed, ${fits('good', true)} as good_with_issues, ${fits('bad', false)} as bad_passed,
        ${fits('bad', true)} as bad_with_issues, count(*) filter (where e.id is null)::int as not_evaluated
      from ${marked}`
    const totals = found!
    const agree = totals.good_passed + totals.bad_with_issues
    const compared = agree + totals.good_with_issues + totals.bad_passed
    const disagreements = await sql<RunMark & { run_number: number; run_title: string; failed: string[] }>`
      select ${markColumns}, r.run_number, r.title as run_title, e.failed
      from ${marked} join runs r on r.id = run_marks.run_id and r.team_id = ${team.id}
      where (verdict = 'good') = (cardinality(e.failed) > 0)
      order by marked_at desc, run_marks.run_id, run_marks.member_id limit ${listedMax}`
    return {
      agreement: compared === 0 ? null : Math.round((agree / compared) * 10_000) / 10_000,
      ...totals,
      disagreements,
      agent_id: agent.id,
    }
  },
})

/** SQL: how many marks of this verdict are of runs with issues, or of runs without. */
const fits = (verdict: string, hasIssues: boolean): Part =>
  part`count(*) filter (where verdict = ${verdict} and (cardinality(e.failed) > 0) = ${hasIssues})::int`
