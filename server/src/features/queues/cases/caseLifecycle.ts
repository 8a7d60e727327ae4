// The life of a case: every move from one state to another, with the columns that it sets and the condition that it needs.
import { joined, literals, part, word, type Part } from '../../../base/db.ts'
import { endedCaseStatuses, priorities, type CaseStatus } from '../../../kit/states.ts'

const columns = [
  'display_status',
  'claimed_at',
  'claimed_by_user_id',
  'claimed_by_run_id',
  'claimed_by_agent_id',
  'pending_human_request_id',
  'for_agent_id',
  'postponed_to',
  'completed_at',
  'attempts',
  'result',
  'reason',
] as const
type Column = (typeof columns)[number]

/** What a move sets. A column that it does not name stays as it is. */
type Move = { display_status: Part } & Partial<Record<Column, Part>>

const none = part`null`
const now = part`now()`
const becomes = (status: CaseStatus) => ({ display_status: literals([status]) })

const heldByNobody = {
  claimed_at: none,
  claimed_by_user_id: none,
  claimed_by_run_id: none,
  claimed_by_agent_id: none,
  pending_human_request_id: none,
  postponed_to: none,
}
const open = { ...heldByNobody, for_agent_id: none, completed_at: none }
const ended = { ...heldByNobody, for_agent_id: none, completed_at: now }

/** The moves of whoever holds a case or takes it: a run or a person. Their values come from a row `w`. */
export const moves = {
  claimed: {
    ...heldByNobody,
    ...becomes('in_progress'),
    claimed_at: now,
    claimed_by_user_id: part`w.user_id`,
    claimed_by_run_id: part`w.run_id`,
    claimed_by_agent_id: part`w.agent_id`,
    completed_at: none,
    attempts: part`c.attempts + 1`,
  },
  assigned: {
    ...heldByNobody,
    ...becomes('in_progress'),
    claimed_at: now,
    claimed_by_user_id: part`w.assignee_id`,
    completed_at: none,
    attempts: part`c.attempts + 1`,
  },
  completed: { ...ended, ...becomes('completed'), result: part`w.result`, reason: none },
  failed: { ...ended, ...becomes('failed'), reason: part`w.reason` },
  postponed: { ...open, ...becomes('postponed'), postponed_to: part`w.postponed_to`, reason: part`w.reason` },
  released: { ...open, ...becomes('pending') },
  handed_over: { ...open, ...becomes('pending'), for_agent_id: part`w.for_agent_id` },
} satisfies Record<string, Move>

export type MoveType = keyof typeof moves

/** What a bulk action makes of cases. Results stay, and so does the reason of a case that is not completed. */
export const bulkMoves = {
  pending: { ...open, ...becomes('pending') },
  completed: { ...ended, ...becomes('completed'), reason: none },
  failed: { ...ended, ...becomes('failed') },
} satisfies Partial<Record<CaseStatus, Move>>

/** A bulk action has cases worked on again, by this agent alone if one is named. */
export const reprocessed = (agentId: string | null): Move => ({
  ...bulkMoves.pending,
  for_agent_id: part`${agentId}::uuid`,
})

/** The `set` of one move on `cases c`. */
export const setOf = (move: Move): Part =>
  joined([...Object.entries(move).map(([column, value]) => part`${word(column)} = ${value}`), part`updated_at = now()`])

/** The `set` of a statement that makes moves of every type on `cases c`, each of the type `w.type`. */
export function setByType(): Part {
  const assigned = columns.map((column) => part`${word(column)} = ${valueByType(column)}`)
  return joined([...assigned, part`updated_at = now()`])
}

function valueByType(column: Column): Part {
  const values = new Map<Part | undefined, string[]>()
  for (const [type, move] of Object.entries<Move>(moves)) {
    values.set(move[column], [...(values.get(move[column]) ?? []), type])
  }
  const [first] = values.keys()
  if (values.size === 1 && first) return first
  const branches = [...values].flatMap(([value, types]) =>
    value ? [part`when w.type in (${literals(types)}) then ${value}`] : [],
  )
  return part`case ${branches.reduce((all, one) => part`${all} ${one}`)} else c.${word(column)} end`
}

/** Condition on `cases c`: it is completed or failed. */
const isEnded = part`c.display_status in (${literals(endedCaseStatuses)})`

/** Condition on `cases c`: it waits, and not for a time. */
export const isPending = part`c.display_status = 'pending'`

/** Condition on `cases c`: it was postponed, and its time has come. */
export const isPostponedAndDue = part`c.display_status = 'postponed' and c.postponed_to <= now()`

/** Condition on `cases c`: anybody may claim it. */
export const isFree = part`c.claimed_at is null and c.display_status in ('pending', 'postponed')`

const isHeldByRun = part`c.claimed_by_run_id = w.run_id`
const isHeldByPerson = part`c.claimed_by_user_id = w.user_id`

/** Condition on `cases c` for a move `w`: what is taken from a member is theirs, a claim needs a free case, a run holds what it moves, and a person holds it or nobody does. */
export const mayMove = part`
  case
    when w.holder_id is not null then c.claimed_by_user_id = w.holder_id
    when w.type = 'claimed' then ${isFree}
    when w.run_id is not null then ${isHeldByRun} and w.type <> 'assigned'
    when w.type = 'released' then ${isHeldByPerson}
    else not ${isEnded} and c.claimed_by_run_id is null and (c.claimed_at is null or ${isHeldByPerson})
  end`

/** Condition on `cases c` for a bulk action: a person's case stays theirs, unless that person asks for the action or has left the team. */
export const mayTake = (userId: string | null): Part => part`
  (c.claimed_by_user_id is null or c.claimed_by_user_id = ${userId}::uuid or not exists (
    select from members m where m.id = c.claimed_by_user_id and m.team_id = c.team_id and m.removed_at is null))`

/** The column `status` of `cases c`, as the API shows it. */
export const shownStatus = part`case when ${isEnded} then c.display_status else 'pending' end`

/** The name of the priority of `cases c`. */
export const priorityName = part`(array[${literals(priorities)}])[c.priority + 1]`
