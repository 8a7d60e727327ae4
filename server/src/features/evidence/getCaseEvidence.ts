// Gives the evidence bundle of a case: the case, and every run that worked on it.
import { part, type Sql } from '../../base/db.ts'
import { isVisibleTo } from '../../engine/ledger/visibleRuns.ts'
import { jsonFile, rowsAsLines } from '../../kit/evidence.ts'
import { operation } from '../../kit/operation.ts'
import { bundle } from './bundle.ts'
import { mayReadMembers } from './runFiles.ts'
import { bundleType, ContentsQuery, requireAllEvents } from './request.ts'

/** A case is tried a few times; a bundle of more runs than this would not be read by anybody. */
const runsMax = 200

export const getCaseEvidence = operation({
  id: 'getCaseEvidence',
  client: 'cases.evidence',
  route: 'GET /v2/cases/:case_id/evidence',
  summary: 'Download the evidence of a case',
  description: `A zip archive as getRunEvidence gives it, with the case and its runs, the first ${runsMax} of them. It needs the scopes of getRunEvidence too.`,
  scope: 'queues:read',
  query: ContentsQuery,
  status: 200,
  answerFile: { types: [bundleType], description: 'An evidence bundle: see docs/guides/evidence.md for its format.' },
  errors: ['insufficient_scope'],
  async handler({ case: found, query, sql, context, team, caller }) {
    requireAllEvents(caller)
    const runs = await sql<{ id: string }>`
      select r.id from runs r
      where r.team_id = ${team.id} and r.case_id = ${found.id} and ${isVisibleTo(caller.member_id, part`r`)}
      order by r.created_at, r.id limit ${runsMax}`
    const { team_id: _team, ...shown } = found
    const asked = { sql, context, teamId: team.id, isWithContents: query.contents ?? false, scopes: caller.scopes }
    return {
      bytes: bundle(
        asked,
        { kind: 'case', id: found.id, name: `Case “${found.title}”` },
        runs.map(({ id }) => id),
        [
          jsonFile('case.json', shown),
          { path: 'timeline.jsonl', rows: timelineOf(sql, found.id, mayReadMembers(asked)) },
        ],
      ),
      type: bundleType,
      name: `case-${found.id}-evidence.zip`,
    }
  },
})

/** Who held the case, and what became of it: the oldest first. A case has few entries, since each is a move of it. */
const timelineOf = (sql: Sql, caseId: string, isWithMembers: boolean): AsyncIterable<string> =>
  rowsAsLines(sql<{ line: string }>`
    select json_build_object('id', e.id, 'type', e.type, 'created_at', iso(e.created_at), 'run_id', e.run_id, 'user_id', e.user_id,
      'user_email', u.email, 'reason', e.reason)::text as line
    from case_events e left join members u on u.id = e.user_id and ${isWithMembers} where e.case_id = ${caseId} order by e.created_at, e.id`)
