// What the result of a call means for its step: done, failed, or refused by a person.
import { isRecord } from '../../../base/isRecord.ts'
import { changesMemory, noteAnswers, type RunbookScope } from './scope.ts'

interface Outcome {
  failure: string | null
  /** A person said no, so it is not tried again. */
  isRejected: boolean
}

const shownMax = 500

/** A call that was made, as its step knows it. */
export interface MadeCall {
  name: string
  arguments: unknown
}

export function outcomeOf({ name, arguments: given }: MadeCall, result: unknown, error: string | null): Outcome {
  if (error !== null) return { failure: error, isRejected: false }
  if (name === 'human_approve' && isRecord(result) && result['approved'] === false) {
    // nobody answered, and the procedure says to continue then
    const goesOn = result['timed_out'] === true && isRecord(given) && given['on_timeout'] === 'continue'
    if (!goesOn) return { failure: rejection(result['comment']), isRejected: true }
  }
  // a program that reports failure has failed, though running it went well
  const exitCode = name === 'sandbox_exec' && isRecord(result) ? result['exit_code'] : 0
  if (typeof exitCode === 'number' && exitCode !== 0) {
    const said = isRecord(result) && typeof result['stderr'] === 'string' ? result['stderr'].trim() : ''
    return { failure: `exit code ${exitCode}${said === '' ? '' : `: ${said.slice(-shownMax)}`}`, isRejected: false }
  }
  return { failure: null, isRejected: false }
}

const rejection = (comment: unknown): string =>
  typeof comment === 'string' && comment.trim() !== '' ? `rejected: ${comment.slice(0, shownMax)}` : 'rejected'

/** Stores the result of a step where later steps read it. */
export function noteResult(
  scope: RunbookScope,
  id: string,
  made: MadeCall,
  result: unknown,
  failure: string | null,
): void {
  scope.steps.set(id, { output: result, error: failure, ok: failure === null, skipped: false })
  if (made.name === 'human_ask' && failure === null) noteAnswers(scope, id, result)
  if (changesMemory(made.name)) scope.memory.clear()
}

/** The content of a memory file; null where it could not be read. */
export function contentOf(result: unknown, error: string | null): string | null {
  const content = error === null && isRecord(result) ? result['content'] : null
  return typeof content === 'string' ? content : null
}
