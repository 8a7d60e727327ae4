// Which failed attempts are worth another one, and how long to wait before it.
import { ApiError, ConnectionError } from './errors.ts'

/** The longest wait that a server may ask for: then the error goes to the caller, who can decide to wait longer. */
const retryAfterMaxS = 60
const firstWaitMs = 500
const waitMaxMs = 8000

/** Undefined when another attempt would end the same. */
export function waitBeforeRetry(error: unknown, attempt: number): number | undefined {
  if (error instanceof ConnectionError) return jittered(attempt)
  if (!(error instanceof ApiError) || !isPassing(error)) return undefined
  const { retryAfter } = error
  if (retryAfter === undefined) return jittered(attempt)
  if (retryAfter > retryAfterMaxS) return undefined
  // all who were refused in the same minute would come back at the same moment
  return retryAfter * 1000 + Math.random() * firstWaitMs
}

/** A 409 passes only when it says that the first request with this key is still running. */
const isPassing = ({ status, code }: ApiError<string>): boolean =>
  status === 429 || status >= 500 || code === 'idempotency_key_in_use'

/** Anything up to the bound, which doubles ("full jitter"): callers that failed together do not return together. */
const jittered = (attempt: number): number => Math.random() * Math.min(waitMaxMs, firstWaitMs * 2 ** attempt)

/** Resolves after this time; rejects with the signal's reason when it is aborted before. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error)
    const timer = setTimeout(done, ms)
    function done() {
      signal?.removeEventListener('abort', abort)
      resolve()
    }
    function abort() {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    signal?.addEventListener('abort', abort, { once: true })
  })
}
