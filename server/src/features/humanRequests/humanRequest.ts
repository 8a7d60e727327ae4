// A human request: what a run asks a person, and the outcome.
import { one, type Sql } from '../../base/db.ts'
import { requestById, type HumanRequest as Row } from '../../engine/requests/humanRequests.ts'
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

/** The pipeline compares its `run_id` with the run of the path. */
export const request = resource('request', requestById)

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
