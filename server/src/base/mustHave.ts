// A value that the code around it guarantees, checked where the types cannot say so.

/** Gives the value, or throws a sentence with `what` that names the broken promise. */
export function mustHave<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) throw new Error(`${what} is missing`)
  return value
}
