// JSON from other servers, models and expressions: its bytes show how deep it is before anything parses it.
import { checkShape, depthMax, JsonRefused } from './jsonReader.ts'

const quote = 0x22
const backslash = 0x5c

/** JSON.parse for text from outside. Text that is nested too deep is a SyntaxError, like text that is not JSON. */
export function parseBounded(text: string): unknown {
  // shorter text cannot be deep enough
  if (text.length > depthMax) checkShape(Buffer.from(text))
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
