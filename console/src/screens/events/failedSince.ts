// The deliveries that were given up since some time, the oldest first. All are found before the first is sent again: that one leaves the list.
import { runyard } from '../../app/client.ts'

const pageSize = 200

export async function failedSince(since: string | undefined, receiver: string, signal: AbortSignal): Promise<string[]> {
  const ids: string[] = []
  for (let offset = 0; ; offset += pageSize) {
    const input = {
      status: 'dead',
      limit: pageSize,
      offset,
      ...(receiver !== '' && { subscription_id: receiver }),
    } as const
    const { deliveries } = await runyard.deliveries.list(input, { signal }).page()
    const wanted = deliveries.filter(
      ({ created_at }) => since === undefined || Date.parse(created_at) >= Date.parse(since),
    )
    ids.push(...wanted.map(({ id }) => id))
    if (deliveries.length < pageSize || wanted.length < deliveries.length) return ids.toReversed()
  }
}
