// Everything that is wrong with a request, in one refusal that a person can still read.
import { Fault } from '../base/errors.ts'
import { OutboundRefused } from '../base/outbound/guard.ts'

const problemsShown = 20
/** A refusal quotes what the caller sent, which may be megabytes. */
const lengthShown = 1800
const problemLengthMax = 300

const cut = (text: string): string =>
  text.length <= problemLengthMax ? text : `${text.slice(0, problemLengthMax).toWellFormed()}…`

/** The problems as one text, after an opening where there is one. Each problem is a sentence. */
export function joinProblems(problems: readonly string[], opening = ''): string {
  let text = opening
  let shown = 0
  for (const problem of problems.slice(0, problemsShown)) {
    const sentence = `${text === '' ? '' : ' '}${cut(problem)}`
    if (shown > 0 && text.length + sentence.length > lengthShown) break
    text += sentence
    shown += 1
  }
  const left = problems.length - shown
  return left === 0 ? text : `${text} And ${left} more.`
}

/** Refuses a request with all of its problems at once, if there are any. */
export function refuseFor(problems: readonly string[]): void {
  if (problems.length > 0) throw new Fault('invalid_request', joinProblems(problems))
}

/** What a refusal of a value says; undefined for any other kind of error. */
function refusalOf(error: unknown): string | undefined {
  if (error instanceof OutboundRefused) return error.reason
  return error instanceof Fault && error.status === 400 ? error.message : undefined
}

/** Runs a check that throws its refusal. If problems are known already, the refusal is added to them. */
export async function alongside(problems: string[], check: () => Promise<unknown>): Promise<void> {
  try {
    await check()
  } catch (error) {
    const says = refusalOf(error)
    if (problems.length === 0 || says === undefined) throw error
    problems.push(says)
  }
}
