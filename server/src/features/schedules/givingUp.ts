// When a schedule disables itself: after ten due times in a row that came to nothing for a reason that only a person can mend.

export const failuresMax = 10

/** Errors of runs that stay until somebody changes the agent or the server. */
const needAPerson = [
  'model_not_configured',
  'model_unknown',
  'model_required',
  'model_auth',
  'model_refused_request',
  'invalid_procedure',
]
const wordsMax = 500

export interface LastRun {
  last_status: string | null
  last_error: { code: string; message: string } | null
}

/** How many in a row there are with the run that was started last; one that was stopped, goes on or is erased says nothing. */
export function failuresWith(failures: number, { last_status, last_error }: LastRun): number {
  if (last_status === 'failed' && last_error && needAPerson.includes(last_error.code)) return failures + 1
  return last_status === 'completed' || last_status === 'failed' ? 0 : failures
}

const remedy = 'Mend that, then set enabled to true.'

export function reasonOf({ last_error }: Pick<LastRun, 'last_error'>): string {
  const words = (last_error?.message ?? '').slice(0, wordsMax).toWellFormed()
  return `Its last ${failuresMax} runs failed, the latest with ${last_error?.code}: ${words} ${remedy}`
}

export const noBuildReason = `The agent has no live build, so nothing could start ${failuresMax} times in a row. Promote one, then set enabled to true.`
