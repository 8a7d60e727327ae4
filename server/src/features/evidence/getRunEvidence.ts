// Gives the evidence bundle of a run.
import { operation } from '../../kit/operation.ts'
import { bundle } from './bundle.ts'
import { bundleType, ContentsQuery, requireAllEvents } from './request.ts'

export const getRunEvidence = operation({
  id: 'getRunEvidence',
  client: 'runs.evidence',
  route: 'GET /v2/runs/:run_id/evidence',
  summary: 'Download the evidence of a run',
  description:
    'A zip archive with everything that is known of the run: events, messages, steps, requests to people, deliveries, evaluations, files by ' +
    'their hashes. The log of a run is sealed within about a second after it has ended; `runyard evidence verify` checks the archive.',
  scope: 'runs:read',
  query: ContentsQuery,
  status: 200,
  answerFile: { types: [bundleType], description: 'An evidence bundle: see docs/guides/evidence.md for its format.' },
  errors: ['insufficient_scope'],
  async handler({ run, query, sql, context, team, caller }) {
    requireAllEvents(caller)
    const asked = { sql, context, teamId: team.id, isWithContents: query.contents ?? false, scopes: caller.scopes }
    const name = `Run ${run.run_number}`
    return {
      bytes: bundle(asked, { kind: 'run', id: run.id, name }, [run.id], []),
      type: bundleType,
      name: `run-${run.run_number}-evidence.zip`,
    }
  },
})
