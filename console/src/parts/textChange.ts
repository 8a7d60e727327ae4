// The one change that makes a text from another: what both begin and end with stays.

export interface TextChange {
  from: number
  to: number
  insert: string
}

/** Undefined: they are the same. */
export function changeOf(before: string, after: string): TextChange | undefined {
  if (before === after) return undefined
  const shorter = Math.min(before.length, after.length)
  let from = 0
  while (from < shorter && before.charCodeAt(from) === after.charCodeAt(from)) from += 1
  let same = 0
  while (
    same < shorter - from &&
    before.charCodeAt(before.length - 1 - same) === after.charCodeAt(after.length - 1 - same)
  )
    same += 1
  return { from, to: before.length - same, insert: after.slice(from, after.length - same) }
}
