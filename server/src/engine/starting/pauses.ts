// What a paused agent means for starts: none of its live build, in whatever way; runs of drafts and runs under way continue.
import { part } from '../../base/db.ts'

/** SQL condition on `agents a` and `builds b`. */
export const isPausedFor = part`(a.paused_at is not null and b.status <> 'draft')`

/** What a caller reads whose start is refused. */
export function pausedSentence(agentName: string, reason: string | null): string {
  return `${agentName} is paused${reason ? `: ${reason}` : '.'} A member can resume it.`
}
