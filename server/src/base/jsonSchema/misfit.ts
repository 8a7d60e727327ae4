// What does not fit a schema, and where.

/** The path from the whole value to one of its parts. */
export interface ValuePath {
  above: ValuePath | null
  key: string | number
}

export interface Misfit {
  keyword: string
  place: ValuePath | null
  /** The message ends a sentence that begins with the path. */
  message: string
  missing?: string[]
  choices?: unknown[]
}

export function keysTo(place: ValuePath | null): (string | number)[] {
  const keys: (string | number)[] = []
  for (let at = place; at; at = at.above) keys.push(at.key)
  return keys.toReversed()
}

export const lengthOf = (place: ValuePath | null): number => keysTo(place).length
