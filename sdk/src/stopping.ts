// A signal that a caller's signal or a time ends, without `AbortSignal.any`, which Node 18 does not have.

/** The longest time that a timer can take: it would end a longer one at once. */
const timerMaxMs = 2 ** 31 - 1

export interface Stopping {
  signal: AbortSignal
  clearTimer: () => void
  /** Stops listening to the caller's signal. */
  unlink: () => void
}

/** Aborts with the reason of the caller's signal, or with what `late` gives when the time is over. */
export function linked(signal: AbortSignal | undefined, timeoutMs?: number, late?: () => Error): Stopping {
  const controller = new AbortController()
  const stop = () => controller.abort(signal?.reason)
  if (signal?.aborted) stop()
  signal?.addEventListener('abort', stop, { once: true })
  const hasTimer = timeoutMs !== undefined && timeoutMs <= timerMaxMs
  const timer = hasTimer ? setTimeout(() => controller.abort(late?.()), timeoutMs) : undefined
  return {
    signal: controller.signal,
    clearTimer: () => clearTimeout(timer),
    unlink: () => signal?.removeEventListener('abort', stop),
  }
}
