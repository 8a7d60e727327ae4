// The keys that sign the deliveries of a team, remembered for a moment.
import type { DeliveryState, RememberedKeys } from './deliveryState.ts'
import { signingSecrets } from './secret.ts'
import { signingKey, type SigningKey } from './signature.ts'

/** How old a key may be that signs: a rotation counts everywhere after this. */
const keyMaxMs = 50
/** From this age on keys are read again beside their use: under load nobody waits for them. */
const renewedMs = 25
/** How long keys that nobody uses stay in memory. */
const idleMs = 5000

export function signingKeysOf(state: DeliveryState, teamId: string): SigningKey[] | Promise<SigningKey[]> {
  const now = performance.now()
  let known = state.keys.get(teamId)
  if (!known) state.keys.set(teamId, (known = { keys: [], at: -Infinity, reading: undefined }))
  const isReadNow = known.reading !== undefined && now - known.reading.at < keyMaxMs
  if (now - known.at < renewedMs) return known.keys
  const reading = isReadNow ? known.reading!.keys : readKeys(state, teamId, known, now)
  return now - known.at < keyMaxMs ? known.keys : reading
}

function readKeys({ context, keys }: DeliveryState, teamId: string, known: RememberedKeys, at: number) {
  const read = async (): Promise<SigningKey[]> => {
    const fresh = (await signingSecrets(context.db.sql, context.keyring, teamId)).map(signingKey)
    if (at > known.at) Object.assign(known, { keys: fresh, at })
    return fresh
  }
  const reading = { at, keys: read() }
  known.reading = reading
  // whoever waits for them gets the error, and the next one reads again
  reading.keys.catch(() => keys.delete(teamId))
  return reading.keys
}

export function forgetIdleKeys({ keys }: DeliveryState): void {
  for (const [teamId, { at }] of keys) if (performance.now() - at > idleMs) keys.delete(teamId)
}
