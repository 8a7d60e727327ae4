// The inbox: what the team's runs ask of people.
import { empty, part, type Part } from '../../base/db.ts'
import { idForFilter } from '../../base/ids.ts'
import { requestList, type HumanRequest as Row } from '../../engine/requests/humanRequests.ts'
import { operation } from '../../kit/operation.ts'
import { pageOf, paging, readLongPage } from '../../kit/paging.ts'
import { oneOf, Type } from '../../kit/schema.ts'
import { requestStatuses } from '../../kit/states.ts'
import { isInInboxOf } from './humanRequest.ts'
import { InboxRequest, withRuns } from './inboxRequest.ts'

export const listHumanRequests = operation({
  id: 'listHumanRequests',
  client: 'humanRequests.list',
  route: 'GET /v2/teams/:teamId/human-requests',
  summary: 'List human requests',
  description:
    'The inbox: pending requests, the longest waiting first. With another `status`, or `all`, the newest comes first; with `closed` (answered, ' +
    'cancelled or expired) what was closed last. With ' +
    '`sort=deadline`, which only pending requests have, what expires first comes first, then what waits longest; requests without a deadline ' +
    'come last. Each comes with the run that asks and with what each answer leads to.',
  scope: 'runs:read',
  query: Type.Object({
    status: oneOf([...requestStatuses, 'closed', 'all'], {
      default: 'pending',
      description: 'Only requests in this state.',
    }),
    assignee_user_id: Type.Optional(
      Type.String({ description: 'Only what is assigned to this member; `me`: to you; `none`: to nobody.' }),
    ),
    agent_id: Type.Optional(Type.String({ description: 'Only what runs of this agent ask; of pending requests.' })),
    sort: Type.Optional(
      oneOf(['age', 'deadline'], { description: 'The order; `age` is by the time of the request.', default: 'age' }),
    ),
    ...paging(50, 200),
  }),
  status: 200,
  answer: pageOf('human_requests', InboxRequest),
  errors: ['invalid_request'],
  async handler({ team, caller, query, sql, fail }) {
    const { status, assignee_user_id: assignee } = query
    if (query.sort === 'deadline' && status !== 'pending') {
      fail('invalid_request', 'Only pending requests can be sorted by deadline. Leave out status, or use sort=age.')
    }
    // those that are closed only become more, and nothing bounds how many would be read for an agent that rarely asks
    if (query.agent_id !== undefined && status !== 'pending') {
      fail('invalid_request', 'Only pending requests can be narrowed to an agent. Leave out status, or agent_id.')
    }
    const where = part`team_id = ${team.id}
      ${inStatus(status)}
      ${assignee === undefined ? empty : assignedTo(assignee, caller.member_id)}
      ${query.agent_id === undefined ? empty : askedBy(query.agent_id)}
      and ${isInInboxOf(caller.member_id)}`
    const { rows, ...page } = await readLongPage<Row>(sql, { ...requestList, where, order: orderOf(query) }, query)
    return { human_requests: await withRuns(sql, team.id, rows), ...page }
  },
})

/** Pending is written out: only then can a plan that fits any values use the index of deadlines, which has the pending ones alone. */
function inStatus(status: string): Part {
  if (status === 'pending') return part`and status = 'pending'`
  if (status === 'closed') return part`and status <> 'pending'`
  return status === 'all' ? empty : part`and status = ${status}`
}

function orderOf({ status, sort }: { status: string; sort?: 'age' | 'deadline' }): Part {
  if (sort === 'deadline') return part`human_requests.expires_at, human_requests.id`
  if (status === 'closed') return part`human_requests.responded_at desc, human_requests.id desc`
  return status === 'pending' ? part`human_requests.id` : part`human_requests.id desc`
}

/** Each open request leads to its run by the run's key. Not as a join: a plan for any values would rather read all runs of the agent. */
const askedBy = (agentId: string): Part => part`
  and (select r.agent_id from runs r where r.id = human_requests.run_id) = ${idForFilter(agentId)}`

function assignedTo(assignee: string, me: string): Part {
  if (assignee === 'none') return part`and assignee_user_id is null`
  return part`and assignee_user_id = ${assignee === 'me' ? me : idForFilter(assignee)}`
}
