// What a person can do about the error of a run.
import type { Run } from '@runyard/sdk'

const advice: Record<string, string> = {
  limit_reached: 'Raise that limit in the build, or give the run less to do.',
  model_unavailable: 'Retry it when the model answers again.',
  model_required: 'Choose a model in the build, or write the procedure with blocks.',
  output_invalid: 'The procedure and the output schema of the build must agree.',
  step_failed: 'Look at that step, fix what it needs, and retry from there.',
  rejected: 'A person said no. Look at the request for the reason.',
  internal_error: 'The server log has the reason, under the id of this run.',
}

/** Undefined where the message of the error says it all. A run of an artifact is not retried, and nobody edits its build. */
export function adviceFor(code: string, source: Run['source']): string | undefined {
  if (source === 'artifact')
    return code === 'internal_error' ? advice['internal_error'] : 'Write to the artifact, or refresh it.'
  return advice[code]
}
