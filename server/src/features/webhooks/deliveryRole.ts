// The deliverer of a process: delivers where the process works, and else calls those that do.
import type { Context } from '../../kit/context.ts'
import type { Work, WorkingProcess } from '../../kit/feature.ts'
import { deliveriesChannel, lookMs } from './deliveriesChannel.ts'
import { startDelivering } from './deliveryLoop.ts'
import { runningPart } from '../../kit/runningPart.ts'

interface Deliverer {
  /** This process committed events. */
  written(): void
  work(process: WorkingProcess): Work
}

export const delivererOf = runningPart('deliverer', createDeliverer)

function createDeliverer(context: Context): Deliverer {
  let working: ReturnType<typeof startDelivering> | undefined
  let calling = false
  /** A process that does not deliver tells those that do, when there is something to deliver. */
  function call(): void {
    if (calling) return
    calling = true
    setTimeout(() => {
      calling = false
      context.db.sql`
        select set_config('synchronous_commit', 'off', true), pg_notify(${deliveriesChannel}, '')
        where exists (select from deliveries where state = 'new')`.catch((error: unknown) =>
        context.log.debug({ err: error }, 'deliveries were not announced; those who deliver look by themselves'),
      )
    }, lookMs).unref()
  }
  return {
    written: () => (working ? working.nudge(true) : call()),
    work(process) {
      const mine = (working = startDelivering(context, process))
      return {
        look: () => mine.look(),
        async stop() {
          working = undefined
          await mine.stop()
        },
      }
    },
  }
}
