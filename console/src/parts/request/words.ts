// Requests in words: what they are, what becomes of them at their deadline, and what somebody answered.
import type { HumanRequest } from '@runyard/sdk'
import type { IconName } from '../../look/Icon.tsx'
import { duration } from '../amounts.ts'
import { clockTime } from '../moments.ts'
import { responseOf } from './asked.ts'

type RequestType = HumanRequest['type']

export const typeWord: Record<RequestType, string> = {
  approval: 'Approval',
  question: 'Question',
  form: 'Form',
  login: 'Sign-in',
}

export const typeIcon: Record<RequestType, IconName> = {
  approval: 'check',
  question: 'message',
  form: 'agents',
  login: 'lock',
}

const dayMs = 86_400_000

/** `at 01:20`, `at 01:20 tomorrow`, `on 3 Dec, 01:20`. */
export function momentWords(iso: string, timeZone: string, now: number): string {
  const clock = clockTime(iso, timeZone, now)
  if (!clock.includes(',')) return `at ${clock}`
  const tomorrow = clockTime(iso, timeZone, now + dayMs)
  return tomorrow.includes(',') ? `on ${clock}` : `at ${tomorrow} tomorrow`
}

const atDeadline: Record<HumanRequest['on_timeout'], string> = {
  fail: 'fails without an answer',
  approve: 'approved by itself',
  reject: 'rejected by itself',
  continue: 'continues without an answer',
}

/** From here on a deadline is shown as a length of time, and stands out. */
export const nearMs = 3_600_000

type Timed = Pick<HumanRequest, 'expires_at' | 'on_timeout'>

/** `rejected by itself at 01:20 tomorrow`. */
export function deadlineSentence({ expires_at, on_timeout }: Timed, timeZone: string, now: number): string {
  if (expires_at === null) return 'no deadline, the run waits'
  const left = new Date(expires_at).getTime() - now
  if (left <= 0) return 'its time is over'
  const when = left < nearMs ? `in ${lengthOf(left)}` : momentWords(expires_at, timeZone, now)
  return `${atDeadline[on_timeout]} ${when}`
}

type Approved = Pick<HumanRequest, 'approvals_needed' | 'approvals'>

/** `1 of 2 approvals: one more person must approve.` Undefined: one is enough. */
export function approvalsSentence({ approvals_needed: needed = 1, approvals = [] }: Approved): string | undefined {
  if (needed < 2) return undefined
  const left = needed - approvals.length
  return `${approvals.length} of ${needed} approvals: ${left === 1 ? 'one more person' : `${left} different people`} must approve.`
}

/** `19 min left`, and whether that is soon. */
export function timeLeft({ expires_at }: Timed, now: number): { says: string; isNear: boolean } {
  if (expires_at === null) return { says: 'no deadline, the run waits', isNear: false }
  const left = new Date(expires_at).getTime() - now
  return left <= 0
    ? { says: 'its time is over', isNear: true }
    : { says: `${lengthOf(left)} left`, isNear: left < nearMs }
}

/** Seconds only in the last two minutes. */
function lengthOf(ms: number): string {
  if (ms < 120_000) return duration(Math.max(1000, Math.floor(ms / 1000) * 1000)).replace('.0', '')
  return duration(ms < nearMs ? Math.floor(ms / 60_000) * 60_000 : ms)
}

/** `approved this`, `answered “Yes”`: after the name of somebody. */
export function outcomeWords(request: Pick<HumanRequest, 'type' | 'status' | 'response' | 'on_timeout'>): string {
  const { approved, answers } = responseOf(request.response)
  if (request.status === 'pending') return 'approved; one more person must approve'
  if (request.status === 'cancelled') return 'cancelled'
  if (request.status === 'expired') return `nobody answered in time: ${atTimeout[request.on_timeout]}`
  if (request.type === 'approval') return approved === true ? 'approved' : 'rejected'
  if (request.type === 'form') return 'filled in the form'
  if (request.type === 'login') return 'signed in'
  const [first] = answers
  return answers.length === 1 && first ? `answered “${first[1]}”` : 'answered'
}

const atTimeout: Record<HumanRequest['on_timeout'], string> = {
  fail: 'the agent got an error',
  approve: 'it counts as approved',
  reject: 'it counts as rejected',
  continue: 'the run continued without an answer',
}
