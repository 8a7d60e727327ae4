// A promise with a limit: pages decide how long they take, and must not decide how long we wait.

/** Resolves to the value, or to `otherwise` when it takes too long or fails. */
export async function within<T, U>(ms: number, work: Promise<T>, otherwise: U): Promise<T | U> {
  const { promise: late, resolve } = Promise.withResolvers<U>()
  const timer = setTimeout(resolve, ms, otherwise)
  try {
    return await Promise.race([work, late])
  } catch {
    // a page that is closed, has crashed or navigates has no answer; the caller says what that means
    return otherwise
  } finally {
    clearTimeout(timer)
  }
}

/** Resolves to the value; rejects when it takes too long. */
export async function inTime<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`Timeout ${ms}ms exceeded`)), ms)
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
