// Changes the content of a case in any state; only the other verbs change its state.
import { newId } from '../../../base/ids.ts'
import { operation } from '../../../kit/operation.ts'
import { Type, wrapped } from '../../../kit/schema.ts'
import { priorities } from '../../../kit/states.ts'
import { Case, caseColumns } from './case.ts'
import { bytesOfCase, caseFields, isTooLarge, tooLarge } from './caseFields.ts'
import { storageProblem } from '../../../engine/engine.ts'

export const updateCase = operation({
  id: 'updateCase',
  client: 'cases.update',
  route: 'PATCH /v2/cases/:case_id',
  summary: 'Change a case',
  description:
    'Changes title, data and priority, in any state. To change the state, use claim, complete, fail, postpone and release.',
  scope: 'queues:write',
  body: Type.Object({
    title: Type.Optional(caseFields.title),
    data: Type.Optional(caseFields.data),
    priority: Type.Optional(caseFields.priority),
  }),
  status: 200,
  answer: wrapped('case', 'case_id', Case),
  errors: ['invalid_request', 'not_found', 'entitlement_exceeded'],
  async handler({ team, caller, case: { id, title: oldTitle, data: oldData }, body, context, sql, fail }) {
    if (isTooLarge(body.data)) return fail('invalid_request', tooLarge('data'))
    const old = { title: oldTitle, data: oldData }
    const problem = await storageProblem(context, sql, team.id, bytesOfCase({ ...old, ...body }) - bytesOfCase(old))
    if (problem !== undefined) return fail('entitlement_exceeded', problem)
    const title = body.title ?? null
    const data = body.data ?? null
    const priority = body.priority === undefined ? null : priorities.indexOf(body.priority)
    await sql`
      with was as materialized (
        select id, concat_ws(', ', case when title <> ${title} then 'title' end, case when data <> ${data} then 'data' end,
          case when priority <> ${priority}::smallint then 'priority' end) as changes
        from cases where id = ${id} and team_id = ${team.id} for update
      ),
      changed as (
        update cases c set title = coalesce(${title}, c.title), data = coalesce(${data}, c.data),
          priority = coalesce(${priority}::smallint, c.priority), updated_at = now()
        from was where c.id = ${id} and c.team_id = ${team.id} and was.id = c.id and was.changes <> '' returning was.changes
      )
      insert into case_events (id, team_id, case_id, type, user_id, reason)
      select ${newId()}, ${team.id}, ${id}, 'updated', ${caller.member_id}, 'Changed ' || changes || '.' from changed`
    const [found] = await sql<Case>`select ${caseColumns} from cases c where c.id = ${id} and c.team_id = ${team.id}`
    return found ? { case: found, case_id: id } : fail('not_found')
  },
})
