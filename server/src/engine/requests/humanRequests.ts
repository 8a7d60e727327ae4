// Requests to people: opened by a call, closed once by an answer, a cancel, a stop or the clock; whatever dies in between, the row stays.
import { one, part, type Part, type Sql } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { storableJson } from '../../base/storable.ts'
import { cutField, listed, longJson, longObject } from '../../kit/pageBytes.ts'
import type { onTimeouts, requestStatuses, RequestType } from '../../kit/states.ts'
import { effectiveScopes, roles } from '../../kit/scopes.ts'
import type { Bound } from '../../kit/tool.ts'
import { followMember } from '../ledger/actsFor.ts'
import type { Limits } from '../builds/buildConfig.ts'
import { canonicalHash } from '../builds/canonicalHash.ts'
import { logForRun } from '../ledger/logForRun.ts'
import { wakeRuns } from '../admission/wake.ts'

export interface Question {
  question: string
  header?: string
  options?: { label: string; description?: string }[]
  multi_select?: boolean
}

type OnTimeout = (typeof onTimeouts)[number]

export interface HumanRequest {
  id: string
  run_id: string
  step: number
  type: RequestType
  title: string
  description: string | null
  questions: Question[] | null
  form_schema: Record<string, unknown> | null
  action: { tool: string; arguments: unknown; hash: string } | null
  status: (typeof requestStatuses)[number]
  response: Record<string, unknown> | null
  responded_by: string | null
  responded_at: Date | null
  expires_at: Date | null
  on_timeout: OnTimeout
  assignee_user_id: string | null
  /** How many people must approve; 1 but for calls of which the team's guardrails want two. */
  approvals_needed: number
  /** The people who have approved so far, where more than one must. */
  approvals: { user_id: string; at: string }[]
  created_at: Date
  /** The columns that are cut in lists that would be too large. */
  truncated?: boolean
}

/** The roles whose members may approve, with any credential that has the scope. */
export const approvingRoles = roles.filter((role) => effectiveScopes(['*'], role).has('approvals:write'))

/** Condition on a row of members: who may approve now. */
const mayApprove = (member: Part): Part =>
  part`${member}.removed_at is null and ${member}.role = any(${approvingRoles}::text[])`

/**
 * The approvals of a request that count: while others are missing, only those of people who still may approve. Whoever is removed and made
 * a member again is a new member, and would be two people otherwise.
 */
export const countingApprovals = (request: Part): Part => part`
  case when ${request}.status <> 'pending' or ${request}.approvals = '[]' then ${request}.approvals else ${standingApprovals(request)} end`

const standingApprovals = (request: Part): Part => part`(
  select coalesce(jsonb_agg(a.one order by a.place), '[]')
  from jsonb_array_elements(${request}.approvals) with ordinality as a (one, place)
  join members m on m.id = (a.one ->> 'user_id')::uuid
  where m.team_id = ${request}.team_id and ${mayApprove(part`m`)})`

interface LongFields {
  questions: Part
  form_schema: Part
  action: Part
  response: Part
}

const columnsWith = ({ questions, form_schema, action, response }: LongFields): Part => part`
  human_requests.id, run_id, step, type, title, description, ${questions} as questions, ${form_schema} as form_schema, ${action} as action, status,
  ${response} as response, responded_by, responded_at, expires_at, on_timeout, assignee_user_id, approvals_needed,
  ${countingApprovals(part`human_requests`)} as approvals, created_at`

const long = {
  questions: longJson(part`questions`),
  form_schema: longJson(part`form_schema`),
  action: longObject(part`action`, cutField(part`action`, 'arguments')),
  response: longJson(part`response`),
}

export const requestColumns = columnsWith({
  questions: long.questions.whole,
  form_schema: long.form_schema.whole,
  action: long.action.whole,
  response: long.response.whole,
})

/** A list of human requests, without its conditions and order. */
export const requestList = {
  table: part`human_requests`,
  columns: columnsWith({
    questions: listed(long.questions),
    form_schema: listed(long.form_schema),
    action: listed(long.action),
    response: listed(long.response),
  }),
  long: Object.values(long),
}

export interface RequestWanted {
  type: RequestType
  title: string
  description?: string | null
  questions?: Question[] | null
  form_schema?: Record<string, unknown> | null
  action?: { tool: string; arguments: unknown }
  /** What the approval of the action is bound to besides the call. */
  binds?: Binds
  expires_in_s?: number | undefined
  on_timeout?: OnTimeout | undefined
  assignee_user_id?: string | null | undefined
  /** How many people must approve; 1 unless given. */
  approvals_needed?: number
}

/** What the call depends on: the hash of its run's config, and what its tool says that it touches. */
export type Binds = Bound & { content: string }

/** An approval is bound to this call of this run with exactly these arguments, under this config, with these outside things. */
export const actionHash = (callId: string, tool: string, args: unknown, binds?: Binds): string =>
  canonicalHash([callId, tool, args, binds ?? null])

/** Opens the request of one call. Its event is written by the change that this is a part of. */
export async function openRequest(
  sql: Sql,
  call: { id: string; step: number; run: { id: string; team_id: string } },
  wanted: RequestWanted,
): Promise<HumanRequest> {
  const action = wanted.action && {
    ...wanted.action,
    hash: actionHash(call.id, wanted.action.tool, wanted.action.arguments, wanted.binds),
  }
  const request = await one(sql<HumanRequest>`
    insert into human_requests (id, team_id, run_id, step, type, title, description, questions, form_schema, action, bound, expires_at,
      on_timeout, assignee_user_id, approvals_needed, hidden_agent_id)
    values (${newId()}, ${call.run.team_id}, ${call.run.id}, ${call.step}, ${wanted.type}, ${wanted.title}, ${wanted.description ?? null},
      ${json(wanted.questions)}::jsonb, ${json(wanted.form_schema)}::jsonb, ${json(action)}::jsonb, ${json(wanted.binds)}::jsonb,
      now() + make_interval(secs => ${wanted.expires_in_s ?? null}::float8), ${wanted.on_timeout ?? 'fail'},
      ${wanted.assignee_user_id ?? null}, ${wanted.approvals_needed ?? 1},
      (select agent_id from runs where id = ${call.run.id} and source = 'artifact'))
    returning ${requestColumns}`)
  return request
}

const json = (value: unknown): string | null => (value === undefined || value === null ? null : storableJson(value))

/** The newest request of a step. */
export async function requestOf(sql: Sql, runId: string, step: number): Promise<HumanRequest | undefined> {
  const [request] = await sql<HumanRequest>`
    select ${requestColumns} from human_requests where run_id = ${runId} and step = ${step} order by id desc limit 1`
  return request
}

/** The newest answer about a step's call, given to an approval or after a crash, with what it was bound to. Null: it predates such binding. */
export async function newestAnswer(
  sql: Sql,
  runId: string,
  step: number,
): Promise<(HumanRequest & { bound: Binds | null }) | undefined> {
  const [request] = await sql<HumanRequest & { bound: Binds | null }>`
    select ${requestColumns}, bound from human_requests
    where run_id = ${runId} and step = ${step} and action is not null order by id desc limit 1`
  return request
}

/** Who answers, and what. */
interface Answer {
  response: object & { approved?: unknown }
  memberId: string | null
}

/** The first valid answer wins: one guarded update; undefined: somebody was faster. Wakes the run in the same transaction. */
export async function answerRequest(
  sql: Sql,
  request: { id: string; run_id: string; approvals_needed: number },
  answer: Answer,
): Promise<HumanRequest | undefined> {
  // the run's row first: the one order of locks
  await sql`select id from runs where id = ${request.run_id} for update`
  if (request.approvals_needed > 1 && answer.response.approved === true) {
    return addApproval(sql, request.id, answer)
  }
  const [answered] = await sql<HumanRequest>`
    update human_requests set status = 'responded', response = ${JSON.stringify(answer.response)}::jsonb,
      responded_by = ${answer.memberId}, responded_at = now()
    where id = ${request.id} and status = 'pending' and (expires_at is null or expires_at > now())
    returning ${requestColumns}`
  return answered && announceAnswer(sql, answered, answer.memberId)
}

/**
 * The last of the people who must approve closes the request. Until then it stays pending, and the run waits. Whoever has approved already
 * changes nothing, with whatever credential.
 */
async function addApproval(sql: Sql, id: string, { response, memberId }: Answer): Promise<HumanRequest | undefined> {
  // whoever has approved stays a member who may until this is committed, or does not count
  const people = await sql<{ id: string }>`
    select m.id from members m join human_requests h on h.team_id = m.team_id
    where h.id = ${id} and ${mayApprove(part`m`)}
      and (m.id = ${memberId}::uuid or h.approvals @> jsonb_build_array(jsonb_build_object('user_id', m.id)))
    order by m.id for share of m`
  if (!people.some(({ id: personId }) => personId === memberId)) return undefined
  const standing = standingApprovals(part`human_requests`)
  const isLast = part`jsonb_array_length(${standing}) + 1 >= approvals_needed`
  const [approved] = await sql<HumanRequest>`
    update human_requests set
      approvals = ${standing} || jsonb_build_array(jsonb_build_object('user_id', ${memberId}::uuid,
        'at', to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))),
      status = case when ${isLast} then 'responded' else status end,
      response = case when ${isLast} then ${JSON.stringify(response)}::jsonb end,
      responded_by = case when ${isLast} then ${memberId}::uuid end, responded_at = case when ${isLast} then now() end
    where id = ${id} and status = 'pending' and (expires_at is null or expires_at > now())
      and not approvals @> jsonb_build_array(jsonb_build_object('user_id', ${memberId}::uuid))
    returning ${requestColumns}`
  return approved?.status === 'responded' ? announceAnswer(sql, approved, memberId) : approved
}

/** How many people's approval of a call counts now: it may be made long after the last of them, when they may not approve any more. */
export async function peopleBehind(sql: Sql, { id, approvals, responded_by }: HumanRequest): Promise<number> {
  // a process of the release before closes a request with one person's yes, and notes nobody else
  const single = responded_by === null ? 0 : 1
  if (approvals.length <= single) return single
  const { people } = await one(sql<{ people: number }>`
    select jsonb_array_length(${standingApprovals(part`h`)}) as people from human_requests h where h.id = ${id}`)
  return Math.max(people, single)
}

/** Takes one person's approval back while others are missing; undefined: it is closed by now, or they had not approved. The run waits on. */
export async function takeBackApproval(
  sql: Sql,
  request: { id: string; run_id: string },
  memberId: string,
): Promise<HumanRequest | undefined> {
  await sql`select id from runs where id = ${request.run_id} for update`
  const [left] = await sql<HumanRequest>`
    update human_requests set approvals = (
      select coalesce(jsonb_agg(one order by place), '[]') from jsonb_array_elements(approvals) with ordinality as a (one, place)
      where one ->> 'user_id' <> ${memberId}::text)
    where id = ${request.id} and status = 'pending' and (expires_at is null or expires_at > now())
      and approvals @> jsonb_build_array(jsonb_build_object('user_id', ${memberId}::uuid))
    returning ${requestColumns}`
  return left
}

/** Why an answer did not count, for whoever gave it; undefined: it is closed. */
export async function reasonNotCounted(
  sql: Sql,
  request: { id: string; approvals_needed: number },
  { teamId, memberId }: { teamId: string; memberId: string },
): Promise<string | undefined> {
  const [now] = request.approvals_needed > 1 ? await requestById(sql, request.id, teamId) : []
  if (now?.status !== 'pending' || !now.approvals.some(({ user_id }) => user_id === memberId)) return undefined
  return 'You have approved this already. It takes another person, whatever credential you use.'
}

async function announceAnswer(sql: Sql, answered: HumanRequest, memberId: string | null): Promise<HumanRequest> {
  await logForRun(sql, answered.run_id, [{ event: 'human_request.responded', data: { human_request: answered } }])
  await raiseLimit(sql, answered)
  if (memberId !== null && carriesWords(answered)) await followMember(sql, answered.run_id, memberId)
  await wakeRuns(sql, [answered.run_id])
  return answered
}

/** What a request for more is about: the action that a person approves. */
export const raiseLimitAction = 'raise_limit'

export interface MoreWanted {
  title: string
  limit: keyof Limits
  from: number | string
  to: number | string
}

/** The run has its new limit with the answer itself, so whoever claims it next counts with it. */
async function raiseLimit(sql: Sql, { run_id, action, response }: HumanRequest): Promise<void> {
  if (action?.tool !== raiseLimitAction || response?.['approved'] !== true) return
  const { limit, to } = action.arguments as MoreWanted
  await sql`
    update runs set limits = jsonb_set(limits, array[${limit}::text], ${JSON.stringify(to)}::jsonb), updated_at = now()
    where id = ${run_id}`
}

/** Takes a request back: the call that waits for it gets the error "cancelled", and the run continues. No event. */
export async function cancelRequest(
  sql: Sql,
  request: { id: string; run_id: string },
): Promise<HumanRequest | undefined> {
  await sql`select id from runs where id = ${request.run_id} for update`
  const [cancelled] = await sql<HumanRequest>`
    update human_requests set status = 'cancelled', responded_at = now() where id = ${request.id} and status = 'pending'
    returning ${requestColumns}`
  if (cancelled) await wakeRuns(sql, [cancelled.run_id])
  return cancelled
}

/** Assigns an open request to a member; undefined: it is closed. The run's row is not touched: nobody waits for this. */
export async function assignRequest(
  sql: Sql,
  request: { id: string },
  memberId: string | null,
): Promise<HumanRequest | undefined> {
  const [assigned] = await sql<HumanRequest>`
    update human_requests set assignee_user_id = ${memberId} where id = ${request.id} and status = 'pending'
    returning ${requestColumns}`
  return assigned
}

/** The end of a run closes what it asked. No event: nobody answered. */
export async function cancelRequestsOf(sql: Sql, runId: string): Promise<void> {
  await sql`update human_requests set status = 'cancelled', responded_at = now() where run_id = ${runId} and status = 'pending'`
}

/** What became of a call is known: the question about it needs no answer any more. */
export async function cancelRequestOf(sql: Sql, runId: string, step: number): Promise<void> {
  await sql`
    update human_requests set status = 'cancelled', responded_at = now()
    where run_id = ${runId} and step = ${step} and status = 'pending'`
}

/** Whether the engine asks, about a call or a limit that waits for the answer; otherwise the work itself asks, by a tool. */
export const isOfEngine = ({ action }: Pick<HumanRequest, 'action'>): boolean =>
  action !== null && action.tool !== 'human_approve'

/** SQL for the same about a row of human_requests. */
export const ofEngine = (request: Part): Part => part`
  (${request}.action is not null and ${request}.action ->> 'tool' <> 'human_approve')`

/**
 * Whether the agent will read words that the person who answered wrote. A yes to a waiting call does not: the turn that wanted the call
 * chose it, and the yes is bound to exactly that. A plain yes or no, a choice among our own options, and "I have logged in" do not either.
 * A comment does.
 */
function carriesWords({ type, action, response }: Pick<HumanRequest, 'type' | 'action' | 'response'>): boolean {
  if (isOfEngine({ action }) && response?.['approved'] === true) return false
  const hasComment = typeof response?.['comment'] === 'string' && response['comment'] !== ''
  return hasComment || (action === null && (type === 'question' || type === 'form'))
}

/** The request with this id, as a list of at most one. */
export const requestById = (sql: Sql, id: string, teamId: string): Promise<HumanRequest[]> => sql<HumanRequest>`
  select ${requestColumns} from human_requests where id = ${id} and team_id = ${teamId}`
