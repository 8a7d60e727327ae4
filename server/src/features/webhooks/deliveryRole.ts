// The deliverer of a process: delivers if the process works, and otherwise notifies the processes that do.
import type { Context } from '../../kit/context.ts'
import type { Work, WorkingProcess } from '../../kit/feature.ts'
import { runningPart } from '../../kit/runningPart.ts'
import { announceMs, deliveriesChannel } from './deliveriesChannel.ts'
import { startDeliveryLoop, type DeliveryLoop } from './deliveryLoop.ts'

interface Deliverer {
  /** This process committed events. */
  written(): void
  work(process: WorkingProcess): Work
}

export const delivererOf = runningPart('deliverer', createDeliverer)

function createDeliverer(context: Context): Deliverer {
  let working: DeliveryLoop | undefined
  let announcing = false
  /** Notifies the processes that deliver, if there is something to deliver. */
  function announce(): void {
    if (announcing) return
    announcing = true
    setTimeout(() => {
      announcing = false
      context.db.sql`
        select set_config('synchronous_commit', 'off', true), pg_notify(${deliveriesChannel}, '')
        where exists (select from deliveries where state = 'new') or exists (select from delivery_batches where has_waiting)`.catch(
        (error: unknown) =>
          context.log.debug({ err: error }, 'could not announce deliveries; the processes that deliver will poll'),
      )
    }, announceMs).unref()
  }
  return {
    written: () => (working ? working.announced(true) : announce()),
    work(process) {
      const loop = (working = startDeliveryLoop(context, process))
      return {
        poll: () => loop.poll(),
        async stop() {
          working = undefined
          await loop.stop()
        },
      }
    },
  }
}
