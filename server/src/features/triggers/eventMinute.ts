// The minute of an event trigger: how many of its deliveries have their turn in it. One that its transaction did not settle is not counted twice.
import { BoundedCache } from '../../base/boundedCache.ts'
import type { Context } from '../../kit/context.ts'
import { runningPart } from '../../kit/runningPart.ts'

/** How many runs one event may start in a minute. Nothing outside slows an event down, and a loop that leaves the service is found nowhere. */
const eventStartsPerMinute = 60

/** What a transaction takes of the minute. */
export interface EventMinute {
  /** For one delivery; false: the minute is used up. */
  take(): Promise<boolean>
  /** How much is left of the minute, once it is used up. */
  leftMs(): number | undefined
  /** What was taken is used; without this the next transaction has it. */
  committed(): void
}

/** What this process took and no transaction that has committed used, by trigger. */
const keptOf = runningPart(
  'minutes of events',
  () => new BoundedCache<number>({ name: 'minutes of events', entriesMax: 10_000 }),
)

/** The minute is counted where everything of a minute is, so what was taken there cannot be given back. */
export function eventMinuteOf(context: Context, triggerId: string): EventMinute {
  const kept = keptOf(context)
  let used = 0
  let leftMs: number | undefined
  const held = (): number => kept.get(triggerId) ?? 0
  return {
    async take() {
      if (used >= held()) {
        const { admitted, resetSeconds } = await context.rateLimit.take(`trigger ${triggerId}`, eventStartsPerMinute)
        if (!admitted) {
          leftMs = resetSeconds * 1000
          return false
        }
        kept.set(triggerId, held() + 1)
      }
      used += 1
      return true
    },
    leftMs: () => leftMs,
    committed() {
      if (held() > used) kept.set(triggerId, held() - used)
      else kept.delete(triggerId)
    },
  }
}
