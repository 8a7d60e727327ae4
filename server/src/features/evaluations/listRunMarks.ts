// Lists what members think of a run.
import { operation } from '../../kit/operation.ts'
import { Id, Type } from '../../kit/schema.ts'
import { markColumns, RunMark } from './runMark.ts'

const marksMax = 500

export const listRunMarks = operation({
  id: 'listRunMarks',
  client: 'evaluations.listMarks',
  route: 'GET /v2/runs/:run_id/marks',
  summary: 'List the marks of a run',
  description: `Newest first, at most ${marksMax}.`,
  scope: 'evals:read',
  status: 200,
  answer: Type.Object({ marks: Type.Array(RunMark), run_id: Id }),
  async handler({ team, run, sql }) {
    const marks = await sql<RunMark>`
      select ${markColumns} from run_marks where run_id = ${run.id} and team_id = ${team.id}
      order by marked_at desc, member_id limit ${marksMax}`
    return { marks, run_id: run.id }
  },
})
