// The inbox: what the team's runs ask of people.
import { empty, part, type Part } from '../../base/db.ts'
import { idForFilter } from '../../base/ids.ts'
import { requestList, type HumanRequest as Row } from '../../engine/requests/humanRequests.ts'
import { HumanRequest } from '../../kit/event.ts'
import { operation } from '../../kit/operation.ts'
import { pageOf, paging, readLongPage } from '../../kit/paging.ts'
import { oneOf, Type } from '../../kit/schema.ts'
import { requestStatuses } from '../../kit/states.ts'

export const listHumanRequests = operation({
  id: 'listHumanRequests',
  client: 'humanRequests.list',
  route: 'GET /v2/teams/:teamId/human-requests',
  summary: 'List human requests',
  description:
    'The inbox: pending requests, the longest waiting first. With another `status`, or `all`, the newest comes first.',
  scope: 'runs:read',
  query: Type.Object({
    status: oneOf([...requestStatuses, 'all'], { default: 'pending', description: 'Only requests in this state.' }),
    assignee_user_id: Type.Optional(
      Type.String({ description: 'Only what is assigned to this member; `me`: to you; `none`: to nobody.' }),
    ),
    ...paging(50, 200),
  }),
  status: 200,
  answer: pageOf('human_requests', HumanRequest),
  async handler({ team, caller, query, sql }) {
    const { status, assignee_user_id: assignee } = query
    const where = part`team_id = ${team.id}
      ${status === 'all' ? empty : part`and status = ${status}`}
      ${assignee === undefined ? empty : assignedTo(assignee, caller.member_id)}
      and (hidden_agent_id is null or coalesce(artifact_reader(hidden_agent_id) = ${caller.member_id}::uuid, true))`
    const order = status === 'pending' ? part`human_requests.id` : part`human_requests.id desc`
    const { rows, ...page } = await readLongPage<Row>(sql, { ...requestList, where, order }, query)
    return { human_requests: rows, ...page }
  },
})

function assignedTo(assignee: string, me: string): Part {
  if (assignee === 'none') return part`and assignee_user_id is null`
  return part`and assignee_user_id = ${assignee === 'me' ? me : idForFilter(assignee)}`
}
