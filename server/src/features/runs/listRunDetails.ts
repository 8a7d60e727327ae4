// Gives what a list of runs shows beside each run.
import { isId } from '../../base/ids.ts'
import { operation } from '../../kit/operation.ts'
import { Type } from '../../kit/schema.ts'
import { ListedDetails, readDetails } from './listedDetails.ts'

export const listRunDetails = operation({
  id: 'listRunDetails',
  client: 'runs.details',
  route: 'GET /v2/teams/:teamId/run-details',
  summary: 'List details of runs',
  description:
    'For each of these runs its build, the step under way, whom it asks, which slots it waits for, and who stopped it. The newest run is first; ' +
    'ids of which the team has no run are left out.',
  scope: 'runs:read',
  query: Type.Object({
    run_ids: Type.Optional(
      Type.String({
        maxLength: 3700,
        description: 'Up to 100 ids of runs, separated by commas. Without them the answer is empty.',
      }),
    ),
  }),
  status: 200,
  answer: Type.Object({ run_details: Type.Array(ListedDetails) }, { additionalProperties: false }),
  async handler({ caller, query, sql }) {
    const ids = query.run_ids?.split(',').filter(isId) ?? []
    return { run_details: ids.length === 0 ? [] : await readDetails(sql, caller, ids) }
  },
})
