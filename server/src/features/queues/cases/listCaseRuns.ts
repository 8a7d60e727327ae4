// Lists the runs that worked on a case.
import { part } from '../../../base/db.ts'
import { Run, runsById } from '../../../engine/ledger/run.ts'
import { isVisibleTo } from '../../../engine/ledger/visibleRuns.ts'
import { operation } from '../../../kit/operation.ts'
import { Type } from '../../../kit/schema.ts'

const runsMax = 100

export const listCaseRuns = operation({
  id: 'listCaseRuns',
  client: 'cases.listRuns',
  route: 'GET /v2/cases/:case_id/runs',
  summary: 'List the runs of a case',
  description: `Newest first, at most the last ${runsMax}.`,
  scope: 'queues:read',
  status: 200,
  answer: Type.Object({ runs: Type.Array(Run) }, { additionalProperties: false }),
  async handler({ team, caller, case: { id }, sql }) {
    const ids = part`array(
      select r.id from runs r
      where r.case_id = ${id} and r.team_id = ${team.id} and ${isVisibleTo(caller.member_id, part`r`)}
      order by r.created_at desc, r.id desc limit ${runsMax})`
    return { runs: await runsById(sql, team.id, ids) }
  },
})
