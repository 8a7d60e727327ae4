// The word of a list that somebody most likely meant by another: a letter wrong, missing or too many, or two of them swapped.

/** Longer words are compared with nothing: they come from tenants. */
const lettersMax = 64

/** Undefined: none is near, or two are equally near. Upper and lower case count as the same letter. `known` must be bounded. */
export function nearestWord(word: string, known: Iterable<string>): string | undefined {
  if (word === '' || word.length > lettersMax) return undefined
  const wanted = word.toLowerCase()
  let least = (word.length <= 4 ? 1 : 2) + 1
  let nearest: string | undefined
  for (const one of known) {
    if (Math.abs(one.length - word.length) > 2) continue
    const distance = editsBetween(wanted, one.toLowerCase())
    if (distance > least) continue
    nearest = distance < least ? one : undefined
    least = distance
  }
  return nearest
}

/** Optimal string alignment: letters replaced, left out, added, or swapped with their neighbour. */
function editsBetween(one: string, other: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let row = 1; row <= one.length; row += 1) {
    const now = [row]
    for (let at = 1; at <= other.length; at += 1) {
      const isSame = one[row - 1] === other[at - 1]
      let least = Math.min(last[at]! + 1, now[at - 1]! + 1, last[at - 1]! + (isSame ? 0 : 1))
      if (row > 1 && at > 1 && one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1])
        least = Math.min(least, beforeLast[at - 2]! + 1)
      now.push(least)
    }
    beforeLast = last
    last = now
  }
  return last[other.length]!
}
