// An approved call at the moment it is made: whether it is still exactly what a person approved. If not, it is not made and they are asked again.
import type { Sql } from '../../base/db.ts'
import type { Bound, Tool } from '../../kit/tool.ts'
import { callIdOf, type CallStep } from '../ledger/change.ts'
import { toolCallOf, type HeldRun } from './heldRun.ts'
import { actionHash, newestAnswer, peopleBehind, type Binds } from '../requests/humanRequests.ts'

/** What an approval of this call would be bound to now. */
export async function bindsOf(held: HeldRun, step: CallStep, tool: Tool | undefined, sql: Sql): Promise<Binds> {
  const { build, context } = held
  const bound =
    tool?.kind === 'outside' ? await tool.boundTo?.(toolCallOf<never>(held, step), { sql, context }) : undefined
  return { ...bound, content: build.contentHash }
}

/** `bound`: none of it may change until the call is sent. `approvals`: how many people allowed it. `changed`: the call is no longer what a person approved. */
type ApprovalCheck = { bound?: Bound; approvals: number } | { changed: string }

/** Asked before every call that was open: an approved call may have been interrupted or postponed since, for any length of time. */
export async function checkApproval(held: HeldRun, step: CallStep, tool: Tool, sql: Sql): Promise<ApprovalCheck> {
  const answer = await newestAnswer(sql, held.run.id, step.seq)
  // a request that the tool opened itself is the tool's own affair, and a request without an answer allowed nothing
  if (answer?.action?.tool !== step.tool || answer?.response === null) return { approvals: 0 }
  const binds = await bindsOf(held, step, tool, sql)
  const hash = actionHash(callIdOf(held.run.id, step.seq), step.tool, step.arguments, binds)
  return hash === answer.action.hash
    ? { bound: binds, approvals: await peopleBehind(sql, answer) }
    : { changed: differenceOf(answer.bound, binds) }
}

const parts: Record<string, string> = {
  content: 'the config of the build',
  connection_id: 'the connection that it names',
  server_url: 'the URL of its connection',
  maker: 'the maker of its connection',
  given: 'the credential or URL of its connection',
  tool: 'the tool as its server lists it',
}

function differenceOf(before: Binds | null, now: Binds): string {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(now)])]
  const changed = before === null ? [] : names.filter((name) => before[name] !== now[name])
  const said = [...new Set(changed.map((name) => parts[name] ?? name))].join(' and ')
  return outdated(said || 'what it is bound to')
}

export const outdated = (what: string): string =>
  `It was approved before, but ${what} has changed since, so it was not made. Allow it as it is now?`
