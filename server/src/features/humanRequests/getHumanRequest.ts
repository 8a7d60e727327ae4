// Reads one human request by its id alone, as a link in a notification names it.
import type { Status } from '../../engine/ledger/lifecycle.ts'
import { RunStatus } from '../../engine/ledger/run.ts'
import { operation } from '../../kit/operation.ts'
import { Id, Type } from '../../kit/schema.ts'
import { InboxRequest, withRun } from './inboxRequest.ts'

export const getHumanRequest = operation({
  id: 'getHumanRequest',
  client: 'humanRequests.get',
  route: 'GET /v2/human-requests/:request_id',
  summary: 'Get a human request',
  description:
    'The request whole, with the run that asks and, while it is pending, what each answer leads to. `status` is the run’s.',
  scope: 'runs:read',
  status: 200,
  answer: Type.Object({ human_request: InboxRequest, request_id: Id, run_id: Id, status: RunStatus }),
  errors: ['not_found'],
  async handler({ team, request, sql, fail }) {
    const shown = await withRun(sql, team.id, request)
    const [run] = await sql<{ status: Status }>`
      select status from runs where id = ${request.run_id} and team_id = ${team.id}`
    if (!shown || !run) return fail('not_found')
    return { human_request: shown, request_id: request.id, run_id: request.run_id, status: run.status }
  },
})
