// A value that the code around it guarantees, checked where the types cannot say so.

/** Returns the value, or throws an error that says that `what` is missing. */
export function mustHave<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) throw new Error(`${what} is missing`)
  return value
}
