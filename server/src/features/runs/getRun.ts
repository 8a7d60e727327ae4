// Reads one run, with the request it waits for, if any.
import { requestColumns, type HumanRequest as Row } from '../../engine/requests/humanRequests.ts'
import { HumanRequest } from '../../kit/event.ts'
import { operation } from '../../kit/operation.ts'
import { Id, nullable, Type } from '../../kit/schema.ts'
import { hasBegun } from '../../engine/ledger/lifecycle.ts'
import { Run, RunStatus } from './run.ts'

export const getRun = operation({
  id: 'getRun',
  client: 'runs.get',
  route: 'GET /v2/runs/:run_id',
  summary: 'Get a run',
  description: 'Cheap enough to poll. The streams of events report the same changes without polling.',
  scope: 'runs:read',
  status: 200,
  answer: Type.Object({
    run: Run,
    run_id: Id,
    status: RunStatus,
    pending_human_request: nullable(HumanRequest),
  }),
  async handler({ run, sql }) {
    const [request] = hasBegun(run.status)
      ? await sql<Row>`
            select ${requestColumns} from human_requests where run_id = ${run.id} and status = 'pending' order by id limit 1`
      : []
    return { run, run_id: run.id, status: run.status, pending_human_request: request ?? null }
  },
})
