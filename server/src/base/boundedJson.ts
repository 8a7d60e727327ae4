// JSON from outside: one look at its bytes tells how deep it is and how many parts it has, before anything parses it.

export const depthMax = 64
/** A list of one-digit numbers, each in its own list, has one list every four bytes; no sensible document comes near this bound. */
export const containersMax = 500_000

/** The parser needs 0.3 s for 2 MB of opening brackets, and recursive code fails on such a value. */
export class JsonRefused extends SyntaxError {}

export interface Scan {
  /** True when no string can hold a NUL or half of a surrogate pair, and no number can be out of range: the value need not be searched. */
  isPlain: boolean
}

const quote = 0x22
const backslash = 0x5c
const zero = 0x30
const nine = 0x39

/** Makes one pass over the bytes. It leaves text that is not JSON to the parser, which sees the same bytes. */
export function scanJson(bytes: Uint8Array): Scan {
  let depth = 0
  let containers = 0
  let isPlain = true
  const { length } = bytes
  for (let at = 0; at < length; at++) {
    const byte = bytes[at]!
    if (byte === quote) {
      for (at++; at < length && bytes[at] !== quote; at++) {
        if (bytes[at] !== backslash) continue
        at++
        if (isPlain && bytes[at] === 0x75) isPlain = isPlainEscape(bytes, at)
      }
    } else if (byte === 0x5b || byte === 0x7b) {
      if (++depth > depthMax) throw new JsonRefused(`it is nested deeper than ${depthMax} levels`)
      if (++containers > containersMax) throw new JsonRefused(`it holds more than ${containersMax} objects and lists`)
    } else if (byte === 0x5d || byte === 0x7d) depth--
    else if (byte >= zero && byte <= nine) {
      const from = at
      for (; at + 1 < length && isInNumber(bytes[at + 1]!); at++) if (isE(bytes[at + 1]!)) isPlain = false
      // a number that is out of range has an exponent, or more than 300 digits
      if (at - from > 300) isPlain = false
    }
  }
  return { isPlain }
}

/** `at` is the index of the u of an escape. Answers whether the escape is neither a NUL nor a surrogate. */
function isPlainEscape(bytes: Uint8Array, at: number): boolean {
  const [first, second] = [bytes[at + 1]!, bytes[at + 2]!]
  if (first === zero) return second !== zero || bytes[at + 3] !== zero || bytes[at + 4] !== zero
  return (first | 0x20) !== 0x64 || second < 0x38
}

const isE = (byte: number): boolean => (byte | 0x20) === 0x65

const isInNumber = (byte: number): boolean => (byte >= zero && byte <= nine) || byte === 0x2e || isE(byte)

/** JSON.parse for text from outside. Text that is nested too deep is a SyntaxError, like text that is not JSON. */
export function parseBounded(text: string): unknown {
  // shorter text cannot be deep enough
  if (text.length > depthMax) scanJson(Buffer.from(text))
  return JSON.parse(text)
}

/**
 * Watches the depth of JSON that arrives in pieces and is parsed by a library. `perLine`: each line is a text of its own, as in a
 * stream of server-sent events.
 */
export function createDepthWatch({ perLine }: { perLine: boolean }): (piece: Uint8Array) => void {
  let depth = 0
  let isInText = false
  let isEscaped = false
  return (piece) => {
    for (const byte of piece) {
      if (perLine && byte === 0x0a) {
        depth = 0
        isInText = false
        isEscaped = false
      } else if (isEscaped) isEscaped = false
      else if (isInText) {
        if (byte === backslash) isEscaped = true
        else if (byte === quote) isInText = false
      } else if (byte === quote) isInText = true
      else if (byte === 0x5b || byte === 0x7b) {
        if (++depth > depthMax) throw new JsonRefused(`it is nested deeper than ${depthMax} levels`)
      } else if (byte === 0x5d || byte === 0x7d) depth--
    }
  }
}
