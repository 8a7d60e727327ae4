// Reads JSON with holes: marks those inside a string, and says where the text is not JSON, whatever the values are.
import { markHoles, type SplitText, type Tell } from './holes.ts'

const depthMax = 64

type Expected =
  | 'a value'
  | 'a value or ]'
  | 'a name in double quotes'
  | 'a name in double quotes or }'
  | ':'
  | ', or an end'
  | 'nothing more'

const token =
  /"(?:[^"\\\p{Cc}]|\x7f|[\x80-\x9f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{}[\],:\uFFFC]/uy
const space = /[ \t\n\r]*/y

/** True: it is JSON. `markInString` gets the number of each hole inside a string. */
export function checkJson(
  split: SplitText,
  line: number,
  what: string,
  tell: Tell,
  markInString: (hole: number) => void,
): boolean {
  const { text, positions } = markHoles(split)
  const { holes } = split
  const open: string[] = []
  let expected: Expected = 'a value'
  let hole = 0
  let isFine = true
  let at = 0
  for (;;) {
    space.lastIndex = at
    space.exec(text)
    at = space.lastIndex
    if (at === text.length) break
    token.lastIndex = at
    const read = token.exec(text)?.[0]
    // a character that only looks like a hole is not one
    const isStray = read === '\uFFFC' && positions[hole] !== at
    const next: Expected | undefined = read === undefined || isStray ? undefined : follow(read, expected, open)
    if (next === undefined || open.length > depthMax) {
      const trouble =
        next === undefined
          ? `${expected} must stand here, not ${shown(text, at)}`
          : `it is nested deeper than ${depthMax} levels`
      tell(line + lineFeeds(text, at), `The ${what} is not JSON: ${trouble}.`)
      return false
    }
    at += read!.length
    for (; hole < positions.length && positions[hole]! < at; hole += 1) {
      if (read !== '\uFFFC') markInString(hole)
      if (next !== ':') continue
      isFine = false
      tell(
        holes[hole]!.line,
        'A value cannot be part of a name in JSON, where it could replace another. Give the whole object as a value.',
      )
    }
    expected = next
  }
  if (expected === 'nothing more') return isFine
  tell(line + lineFeeds(text, at), `The ${what} is not JSON: it ends where ${expected} must stand.`)
  return false
}

/** What must come after this token; undefined means that it is not allowed here. */
function follow(read: string, expected: Expected, open: string[]): Expected | undefined {
  const first = read[0]!
  if (first === ':') return expected === ':' ? 'a value' : undefined
  if (first === ',') {
    if (expected !== ', or an end') return undefined
    return open.at(-1) === '{' ? 'a name in double quotes' : 'a value'
  }
  if (first === '}' || first === ']') {
    const isEmpty = expected === (first === '}' ? 'a name in double quotes or }' : 'a value or ]')
    const isFull = expected === ', or an end' && open.at(-1) === (first === '}' ? '{' : '[')
    if (!isEmpty && !isFull) return undefined
    open.pop()
    return open.length === 0 ? 'nothing more' : ', or an end'
  }
  if (expected === 'a name in double quotes' || expected === 'a name in double quotes or }') {
    return first === '"' ? ':' : undefined
  }
  if (expected !== 'a value' && expected !== 'a value or ]') return undefined
  if (first === '{' || first === '[') {
    open.push(first)
    return first === '{' ? 'a name in double quotes or }' : 'a value or ]'
  }
  return open.length === 0 ? 'nothing more' : ', or an end'
}

const shown = (text: string, at: number): string =>
  text[at] === '\uFFFC' ? '{{ }}' : JSON.stringify(text.slice(at, at + 12).split('\n')[0])

function lineFeeds(text: string, end: number): number {
  let count = 0
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) count += 1
  return count
}
