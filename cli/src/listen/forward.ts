// Sends one event to a receiver, signed as a real delivery, until it answers.
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, RunyardError, type Runyard, type RunyardEvent } from '../../../sdk/src/index.ts'
import { signatureHeaders, signingKey, type SigningKey } from '../../../server/src/features/webhooks/signature.ts'
import type { Output } from '../output.ts'

export interface Received {
  status: number
  durationMs: number
}

/** How long a secret is used before it is asked for again: it may be rotated. */
const secretKeptMs = 60_000
const answerMs = 30_000
const firstWaitMs = 250
const waitMaxMs = 10_000

export function forwarder(
  runyard: Runyard,
  url: string,
  out: Output,
  signal: AbortSignal,
): (event: RunyardEvent) => Promise<Received> {
  let key: SigningKey | undefined
  let readAt = 0
  const currentKey = async (): Promise<SigningKey> => {
    if (!key || Date.now() - readAt > secretKeptMs) {
      key = signingKey((await runyard.webhooks.getSecret({ signal })).secret)
      readAt = Date.now()
    }
    return key
  }
  return async (event) => {
    const body = Buffer.from(JSON.stringify(event))
    for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, waitMaxMs)) {
      try {
        const keys = [await currentKey()]
        const at = new Date()
        const headers = signatureHeaders({ id: event.id, event: event.event, body, keys, at })
        const response = await fetch(url, {
          method: 'POST',
          body,
          headers: { 'content-type': 'application/json', ...headers },
          redirect: 'manual',
          // to be closed does not cut it off: nobody would know whether the receiver has it
          signal: AbortSignal.timeout(answerMs),
        })
        await response.body?.cancel()
        return { status: response.status, durationMs: Date.now() - at.getTime() }
      } catch (error) {
        signal.throwIfAborted()
        if (isRefusal(error)) throw error
        const who = error instanceof RunyardError ? 'The service' : url
        if (waitMs === firstWaitMs)
          out.note(`${who} does not answer (${reasonOf(error)}). It is tried again until it does.`)
        await sleep(waitMs, undefined, { signal })
      }
    }
  }
}

/** A key that was revoked does not come back, as a service does that restarts. */
const isRefusal = (error: unknown): boolean => error instanceof ApiError && error.status < 500 && error.status !== 429

function reasonOf(error: unknown): string {
  const { cause, message } = error as { cause?: { code?: string }; message?: string }
  return cause?.code ?? message ?? String(error)
}
