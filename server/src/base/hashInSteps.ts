// SHA-256 in steps. A mebibyte takes five milliseconds, so others get their turn while something large is hashed.
import { createHash } from 'node:crypto'
import type { Steps } from './steps.ts'

const stepBytes = 64 * 1024

/** The hash of these parts, one after the other. */
export function* hashInSteps(...parts: Uint8Array[]): Steps<Buffer> {
  const digest = createHash('sha256')
  for (const part of parts) {
    for (let at = 0; at < part.length; at += stepBytes) {
      if (at > 0) yield
      digest.update(part.subarray(at, at + stepBytes))
    }
  }
  return digest.digest()
}
