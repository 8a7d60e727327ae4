// A human request as an inbox shows it: with the run that asks, and with what each answer leads to.
import type { Sql } from '../../base/db.ts'
import type { HumanRequest as Row } from '../../engine/requests/humanRequests.ts'
import { HumanRequest } from '../../kit/event.ts'
import { Id, named, nullable, Type, type Static } from '../../kit/schema.ts'
import { Consequence, consequencesOf } from './consequences.ts'

const RunOfRequest = named(
  'RunOfRequest',
  Type.Object({
    id: Id,
    run_number: Type.Integer(),
    title: Type.String(),
    agent_id: Id,
    agent_name: Type.String(),
    build_id: Id,
    revision_number: Type.Integer({ minimum: 1 }),
    case_id: nullable(Id),
    case_title: nullable(Type.String()),
  }),
)
type RunOfRequest = Static<typeof RunOfRequest>

export const InboxRequest = named(
  'InboxRequest',
  Type.Object({
    ...HumanRequest.properties,
    run: RunOfRequest,
    consequences: Type.Array(Consequence, {
      description: 'While it is pending: what each answer leads to, in words. Empty when it is closed.',
    }),
  }),
)
export type InboxRequest = Static<typeof InboxRequest>

/** The runs of a page are read together, each by its key. */
export async function withRuns(sql: Sql, teamId: string, requests: Row[]): Promise<InboxRequest[]> {
  const ids = [...new Set(requests.map(({ run_id }) => run_id))]
  const rows = await sql<RunOfRequest>`
    select r.id, r.run_number, r.title, r.agent_id, a.name as agent_name, r.build_id, b.revision_number, r.case_id, r.case_title
    from runs r join agents a on a.id = r.agent_id join builds b on b.id = r.build_id
    where r.id = any(${ids}::uuid[]) and r.team_id = ${teamId}`
  const runs = new Map(rows.map((run) => [run.id, run]))
  // requests are deleted with their run, but a page reads the two one after the other
  return requests.flatMap((request) => {
    const run = runs.get(request.run_id)
    return run ? [{ ...request, run, consequences: consequencesOf(request) }] : []
  })
}

export const withRun = async (sql: Sql, teamId: string, request: Row): Promise<InboxRequest | undefined> =>
  (await withRuns(sql, teamId, [request]))[0]
