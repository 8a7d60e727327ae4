// The keys of the lists of events and deliveries.
import { useRowKeys } from '../../parts/useRowKeys.ts'

const words = {
  event: { where: 'Events', next: 'Next event', before: 'Event before' },
  delivery: { where: 'Events', next: 'Next delivery', before: 'Delivery before' },
}

export const useEventRowKeys = (what: keyof typeof words) => useRowKeys(words[what])
