// One attempt: the delivery signed for this moment, sent through the guard, and the outcome.
import { storableText } from '../../base/storable.ts'
import { runyardVersion } from '../../base/version.ts'
import { OutboundFailure, type OutboundAnswer } from '../../base/outbound/fetch.ts'
import type { Context } from '../../kit/context.ts'
import type { Attempt } from './delivery.ts'
import { retryAfterS } from './retrySchedule.ts'
import { signatureHeaders, type SigningKey } from './signature.ts'

/** What is sent. Its body is the same at every attempt: the event's data is stored as the text that it was written with. */
export interface Outgoing {
  id: string
  event: string
  created_at: Date
  data: string
}

export interface AttemptOutcome {
  attempt: Attempt & { at: string }
  /** The receiver said when to come again. */
  retryAfterS: number | undefined
  /** The receiver wants nothing more: 410. */
  isGone: boolean
}

const timeoutMs = 15_000
const connectTimeoutMs = 5000
const answerBytesMax = 4096
/** How long the body of an answer is read: it only helps people, and must not hold a slot. */
const answerMs = 1000

/** A time as text. Under load many deliveries in a row have the same. */
function rememberedText(): (time: Date) => string {
  let last = { ms: NaN, text: '' }
  return (time) => {
    const ms = time.getTime()
    if (ms !== last.ms) last = { ms, text: time.toISOString() }
    return last.text
  }
}
const creationText = rememberedText()
const attemptText = rememberedText()

export const bodyOf = ({ id, event, created_at, data }: Outgoing): Buffer =>
  Buffer.from(`{"id":"${id}","event":"${event}","created_at":"${creationText(created_at)}","data":${data}}`)

/** Undefined: this process stops, and nothing is known of it. */
export async function attempt(
  { outbound }: Pick<Context, 'outbound'>,
  outgoing: Outgoing,
  url: string,
  keys: SigningKey[],
): Promise<AttemptOutcome | undefined> {
  const at = new Date()
  const body = bodyOf(outgoing)
  const headers = {
    'content-type': 'application/json',
    'user-agent': `Runyard-Webhooks/${runyardVersion}`,
    ...signatureHeaders({ id: outgoing.id, event: outgoing.event, body, keys, at }),
  }
  const startedAt = performance.now()
  try {
    const limits = { timeoutMs, connectTimeoutMs, answerBytesMax, answerMs }
    return outcomeOf(at, await outbound.request({ method: 'POST', url, headers, body, ...limits }))
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error
    if (error.stage === 'aborted') return undefined
    const latency_ms = Math.round(performance.now() - startedAt)
    const failed = { ok: false, status: null, stage: error.stage, error: error.message, latency_ms, answer: null }
    const timed = error.timing && { timing: error.timing }
    return { attempt: { at: attemptText(at), ...failed, ...timed }, retryAfterS: undefined, isGone: false }
  }
}

function outcomeOf(at: Date, { status, headers, body, durationMs, timing }: OutboundAnswer): AttemptOutcome {
  const ok = status >= 200 && status < 300
  return {
    attempt: {
      at: attemptText(at),
      ok,
      status,
      stage: ok ? null : 'status',
      error: ok ? null : sentenceOf(status),
      latency_ms: durationMs,
      timing,
      answer: body.length === 0 ? null : storableText(body.toString()),
    },
    retryAfterS: retryAfterS(status, headers['retry-after'], new Date()),
    isGone: status === 410,
  }
}

function sentenceOf(status: number): string {
  if (status === 410) return 'The receiver answered 410: it wants no more of these.'
  if (status >= 300 && status < 400) return `The receiver answered ${status}: redirects are not followed.`
  return `The receiver answered ${status}.`
}
