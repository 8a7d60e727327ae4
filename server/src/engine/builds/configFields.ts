// The fields of a build's config as they are read: what is absent, what is an object, and where complaints go.

export type Fields = Record<string, unknown>
export type Complain = (path: string, message: string) => void

export function readFields(value: unknown, path: string, what: string, complain: Complain): Fields | null {
  if (isAbsent(value)) return null
  if (isFields(value)) return value
  complain(path, `must be ${what}`)
  return null
}

/** A known key that is null counts as one that is not there. */
export const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null
export const isFields = (value: unknown): value is Fields =>
  !isAbsent(value) && typeof value === 'object' && !Array.isArray(value)
