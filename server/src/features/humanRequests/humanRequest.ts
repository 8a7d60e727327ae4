// A human request: what a run asks a person, and the outcome.
import { one, part, type Part, type Sql } from '../../base/db.ts'
import { requestColumns, type HumanRequest as Row } from '../../engine/requests/humanRequests.ts'
import type { Status } from '../../engine/ledger/lifecycle.ts'
import { HumanRequest } from '../../kit/event.ts'
import { resource } from '../../kit/resources.ts'
import { Id, Type } from '../../kit/schema.ts'
import { RunStatus } from '../../engine/ledger/run.ts'

/** `status` is the run's. */
export const HumanRequestAnswer = Type.Object({
  human_request: HumanRequest,
  request_id: Id,
  run_id: Id,
  status: RunStatus,
})

/** Where the path also names a run, the pipeline compares its id with the request's `run_id`. */
export const request = resource(
  'request',
  (sql, id, teamId, { member_id }) => sql<Row>`
    select ${requestColumns} from human_requests where id = ${id} and team_id = ${teamId} and ${isInInboxOf(member_id)}`,
)

declare module '../../kit/resources.ts' {
  interface Resources {
    request: Row
  }
}

/** The request as it is now, beside the state that its run is in after the change. */
export async function requestAnswer(sql: Sql, changed: Row, teamId: string) {
  const run = await one(sql<{ status: Status }>`
    select status from runs where id = ${changed.run_id} and team_id = ${teamId}`)
  return { human_request: changed, request_id: changed.id, run_id: changed.run_id, status: run.status }
}

/** SQL condition on `human_requests`: its run is not hidden from this member. */
export const isInInboxOf = (memberId: string): Part => part`
  (hidden_agent_id is null or coalesce(artifact_reader(hidden_agent_id) = ${memberId}::uuid, true))`
