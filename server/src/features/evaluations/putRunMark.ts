// Says what a member thinks of a run. Another mark of the same member replaces the first.
import { one } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { Id, nullable, oneOf, Type } from '../../kit/schema.ts'
import { markColumns, RunMark, verdicts } from './runMark.ts'

const noteMax = 2000

export const putRunMark = operation({
  id: 'putRunMark',
  client: 'evaluations.mark',
  route: 'PUT /v2/runs/:run_id/mark',
  summary: 'Mark a run',
  description:
    'Whether the run went well, in your own judgement. Each member has one mark for a run. Marks change no evaluation and no score: ' +
    'getMarkAgreement holds the two against each other.',
  scope: 'evals:write',
  body: Type.Object(
    { verdict: oneOf(verdicts), note: Type.Optional(nullable(Type.String({ maxLength: noteMax }))) },
    { examples: [{ verdict: 'bad', note: 'It refunded the wrong order.' }] },
  ),
  status: 200,
  answer: Type.Object({ mark: RunMark, run_id: Id }),
  async handler({ team, run, caller, body, sql }) {
    const mark = await one(sql<RunMark>`
      insert into run_marks (run_id, member_id, team_id, agent_id, verdict, note)
      values (${run.id}, ${caller.member_id}, ${team.id}, ${run.agent_id}, ${body.verdict}, ${body.note ?? null})
      on conflict (run_id, member_id) do update set verdict = excluded.verdict, note = excluded.note, marked_at = now()
      returning ${markColumns}`)
    return { mark, run_id: run.id }
  },
})
