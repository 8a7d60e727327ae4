// Why a run is where it is, as a sentence for its header: in the words of the service, with times as people read them.
import type { ExplainRunAnswer } from '@runyard/sdk'

export interface Why {
  /** What the sentence answers: `Why it waits:`. */
  asks: string
  says: string
  /** The step that it is about, if it can be looked at. */
  step?: number
  tone: 'wait' | 'fail' | 'plain'
}

type Explained = Pick<ExplainRunAnswer, 'status' | 'why' | 'facts'>

interface Clock {
  /** A moment as a time of day, with its day where it is another one. */
  timeOf: (iso: string) => string
  /** `6 min ago`, `in 2 h`. */
  relative: (iso: string) => string
}

const onTimeout = {
  fail: 'that call fails',
  approve: 'it counts as approved',
  reject: 'it counts as refused',
  continue: 'it continues without an answer',
} as const

const kinds = {
  approval: 'must approve',
  question: 'must answer',
  form: 'must fill in',
  login: 'must sign in:',
} as const

const isoTime = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g

/** Undefined where there is nothing to explain: the run has done what it should. */
export function whyOf({ status, why, facts }: Explained, { timeOf, relative }: Clock): Why | undefined {
  if (status === 'completed') return undefined
  // times of the service are exact and in UTC
  const inWords = why.replace(isoTime, timeOf)
  if (status === 'failed') return failure(facts, inWords, relative)
  if (status === 'stopped') return { asks: 'Why it stopped:', says: inWords, tone: 'plain' }
  if (status === 'running') return { asks: 'Now:', says: inWords, tone: 'plain' }
  const { human_request: request, since } = facts
  const step = facts.step === null ? {} : { step: facts.step.seq }
  if (status !== 'waiting' || !request) return { asks: 'Why it waits:', says: inWords, tone: 'plain' }
  const who =
    request.assignee_user_id === null ? 'a person' : (request.assignee_name ?? 'a member who is no longer here')
  const end =
    request.expires_at === null
      ? 'it waits as long as it takes.'
      : `without an answer by ${timeOf(request.expires_at)} ${onTimeout[request.on_timeout]}.`
  const then = since === null ? capitalised(end) : `Asked ${relative(since)}; ${end}`
  const { approvals_needed: needed, approvals } = request
  const people = needed > 1 ? ` ${approvals} of ${needed} people have approved.` : ''
  return {
    asks: 'Why it waits:',
    says: `${who} ${kinds[request.type]} “${request.title}”.${people} ${then}`,
    tone: 'wait',
    ...step,
  }
}

/** What to do about it stands with the outcome. */
function failure({ error, since }: Explained['facts'], inWords: string, relative: Clock['relative']): Why {
  const asks = 'Why it failed:'
  if (!error) return { asks, says: inWords, tone: 'fail' }
  const message = error.message.trim()
  const ended = since === null ? '' : ` It ended ${relative(since)}.`
  const says = `${/[.!?]$/.test(message) ? message : `${message}.`}${ended}`
  return { asks, says, tone: 'fail', ...(error.step !== null && { step: error.step }) }
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
