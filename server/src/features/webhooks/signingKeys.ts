// The keys that sign the deliveries of a team, remembered for a moment.
import type { DeliveryState } from './deliveryState.ts'
import { signingSecrets } from './secret.ts'
import { signingKey, type SigningKey } from './signature.ts'

/** How old a key may be that signs: a rotation counts everywhere after this. */
const keyMaxMs = 50
/** How long keys that nobody uses stay in memory. */
const idleMs = 5000

export function signingKeysOf({ context, keys }: DeliveryState, teamId: string): Promise<SigningKey[]> {
  const now = performance.now()
  const known = keys.get(teamId)
  if (known && now - known.at < keyMaxMs) return known.keys
  const fresh = signingSecrets(context.db.sql, context.keyring, teamId).then((all) => all.map(signingKey))
  // keys that could not be read are not remembered
  fresh.catch(() => keys.delete(teamId))
  keys.set(teamId, { at: now, keys: fresh })
  return fresh
}

export function forgetIdleKeys({ keys }: DeliveryState): void {
  for (const [teamId, { at }] of keys) if (performance.now() - at > idleMs) keys.delete(teamId)
}
