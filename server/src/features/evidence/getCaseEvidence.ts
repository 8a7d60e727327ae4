// Gives the evidence bundle of a case: the case, and every run that worked on it.
import { jsonFile } from '../../kit/evidence.ts'
import { operation } from '../../kit/operation.ts'
import { bundle } from './bundle.ts'
import { bundleType, ContentsQuery, requireAllEvents } from './request.ts'

/** A case is tried a few times; a bundle of more runs than this would not be read by anybody. */
const runsMax = 200

export const getCaseEvidence = operation({
  id: 'getCaseEvidence',
  client: 'cases.evidence',
  route: 'GET /v2/cases/:case_id/evidence',
  summary: 'Download the evidence of a case',
  description: `A zip archive as getRunEvidence gives it, with the case and its runs, the first ${runsMax} of them.`,
  scope: 'runs:read',
  query: ContentsQuery,
  status: 200,
  answerFile: { types: [bundleType], description: 'An evidence bundle: see docs/guides/evidence.md for its format.' },
  errors: ['insufficient_scope'],
  async handler({ case: found, query, sql, context, team, caller }) {
    requireAllEvents(caller)
    const runs = await sql<{ id: string }>`
      select id from runs where team_id = ${team.id} and case_id = ${found.id} order by created_at, id limit ${runsMax}`
    const { team_id: _team, ...shown } = found
    const asked = { sql, context, teamId: team.id, isWithContents: query.contents ?? false, scopes: caller.scopes }
    return {
      bytes: bundle(
        asked,
        { kind: 'case', id: found.id, name: `Case “${found.title}”` },
        runs.map(({ id }) => id),
        [jsonFile('case.json', shown)],
      ),
      type: bundleType,
      name: `case-${found.id}-evidence.zip`,
    }
  },
})
