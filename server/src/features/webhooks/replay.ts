// Sending again: what a delivery becomes then, and when nothing can be sent.
import { part } from '../../base/db.ts'

/** Set on deliveries that are settled, and on no others; their target's retry_at must be now at the latest. */
export const sentAgain = part`state = 'replaying', due_at = now(), attempts = 0, reason = null, settled_at = null`

interface Receiving {
  active: boolean
  is_deleted: boolean
  /** The receiver of a callback answered 410 for this run. */
  is_gone?: boolean
  /** What is to be sent is of a kind that whoever set the webhook's URL may not read. */
  is_withheld?: boolean
}

/** Why nothing can be sent to a target, and what to do about it; undefined: it can. */
export function whyNotSent({ active, is_deleted, is_gone, is_withheld }: Receiving): string | undefined {
  if (is_deleted) return 'The webhook was deleted. Make a new one; it gets the events from then on.'
  if (!active) return 'The webhook is not active. Set active to true with updateWebhook, then ask again.'
  if (is_gone) {
    return 'The receiver answered 410 for this run, so nothing more is sent there. Read the run’s events from GET /v2/runs/{run_id}/events.'
  }
  if (is_withheld) {
    return (
      'This webhook does not get such events: the credential that set its url or events may not read them. ' +
      'Set one of the two again with a credential that may, then ask again.'
    )
  }
  return undefined
}
