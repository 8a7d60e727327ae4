// How a receiver does, in a shape and a sentence.
import type { DeliveryTarget } from '@runyard/sdk'
import type { Shape } from '../../look/StatusShape.tsx'

type Known = Pick<DeliveryTarget, 'active' | 'failures' | 'failing_since' | 'dead' | 'delivered' | 'failed'>

export function healthOf({ active, failures, failing_since: since, dead, delivered, failed }: Known): {
  shape: Shape
  says: string
} {
  if (!active) return { shape: 'stopped', says: 'Switched off: nothing is sent.' }
  if (since !== null) {
    return {
      shape: 'failed',
      says: failures === 1 ? 'The last attempt failed' : `${failures} attempts in a row failed`,
    }
  }
  if (dead > 0) return { shape: 'human', says: 'It accepts again; what was given up before waits to be resent.' }
  if (delivered + failed === 0) return { shape: 'pending', says: 'Nothing was sent to it lately.' }
  return { shape: 'done', says: 'It accepts what is sent.' }
}
