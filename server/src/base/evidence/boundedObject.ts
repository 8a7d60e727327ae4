// One JSON object of a bundle that anybody may have written: how deep it is and how many parts it has is known before it is parsed.
import { isUtf8 } from 'node:buffer'
import { isRecord } from '../isRecord.ts'

/** Values of users have up to 64 levels, and rows put some around them. */
const depthMax = 256
const containersMax = 1_000_000
/** A shorter text is harmless in any shape. */
const smallBytes = 4096

const quote = 0x22
const backslash = 0x5c

/** The object, or undefined if the text is anything else. */
export function readObject(text: Buffer): Record<string, unknown> | undefined {
  if (!isUtf8(text) || (text.length > smallBytes && !isBounded(text))) return undefined
  try {
    const value: unknown = JSON.parse(text.toString())
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isBounded(text: Buffer): boolean {
  let depth = 0
  let containers = 0
  let isInString = false
  for (let at = 0; at < text.length; at++) {
    const byte = text[at]
    if (isInString) {
      if (byte === backslash) at++
      else if (byte === quote) isInString = false
    } else if (byte === quote) isInString = true
    else if (byte === 0x5b || byte === 0x7b) {
      depth++
      containers++
      if (depth > depthMax || containers > containersMax) return false
    } else if (byte === 0x5d || byte === 0x7d) depth--
  }
  return true
}
