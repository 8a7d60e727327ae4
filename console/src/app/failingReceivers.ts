// Which receivers of webhooks have begun to fail since the last look, by the same rule as for mails.
import type { DeliveryTarget } from '@runyard/sdk'

type Receiver = Pick<DeliveryTarget, 'id' | 'url' | 'failures' | 'failing_since' | 'disabled_at'>

/** One failed attempt is not worth a notice: most pass when they are sent again. */
const failuresMin = 5

const isFailing = ({ failures, disabled_at }: Receiver): boolean => failures >= failuresMin || disabled_at !== null

/** One that recovered and fails again is another failure. */
const failureOf = ({ id, failing_since, disabled_at }: Receiver): string =>
  `${id} ${failing_since ?? disabled_at ?? ''}`

/** `known`: the failures of the last look; undefined at the first one, which tells of nothing. */
export function failuresSince<T extends Receiver>(
  known: ReadonlySet<string> | undefined,
  receivers: T[],
): { fresh: T[]; known: ReadonlySet<string> } {
  const failing = receivers.filter(isFailing)
  return {
    fresh: known ? failing.filter((one) => !known.has(failureOf(one))) : [],
    known: new Set(failing.map(failureOf)),
  }
}
