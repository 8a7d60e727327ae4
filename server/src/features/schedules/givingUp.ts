// When a schedule disables itself: after ten due times in a row that failed for a reason that only a person can fix.

export const failuresMax = 10

/** Errors of runs that stay until somebody changes the agent or the server. */
const needAPerson = new Set([
  'model_not_configured',
  'model_unknown',
  'model_required',
  'model_auth',
  'model_refused_request',
  'invalid_procedure',
])
const wordsMax = 500

export interface LastRun {
  last_run_id: string | null
  /** The status of the last run; null if that run is erased. */
  last_status: string | null
  last_error: { code: string; message: string } | null
  failures: number
  /** The run whose end is already included in that number. */
  judged_run_id: string | null
}

/** Called when the next due time comes, so that the end of a run costs nothing. A run that was stopped or still works does not count. */
export function countFailures(last: LastRun): Pick<LastRun, 'failures' | 'judged_run_id'> {
  const { last_run_id, last_status, last_error, failures, judged_run_id } = last
  const cameToItsEnd = last_status === 'completed' || last_status === 'failed'
  if (!cameToItsEnd || last_run_id === judged_run_id) return { failures, judged_run_id }
  const isHopeless = last_error !== null && needAPerson.has(last_error.code)
  return { failures: isHopeless ? failures + 1 : 0, judged_run_id: last_run_id }
}

const remedy = 'Fix that, then set enabled to true.'

export function reasonOf({ last_error }: Pick<LastRun, 'last_error'>): string {
  const words = (last_error?.message ?? '').slice(0, wordsMax).toWellFormed()
  return `Its last ${failuresMax} runs failed, the latest with ${last_error?.code}: ${words} ${remedy}`
}

export const noBuildReason = `The agent has no live build, so nothing could start ${failuresMax} times in a row. Promote one, then set enabled to true.`
