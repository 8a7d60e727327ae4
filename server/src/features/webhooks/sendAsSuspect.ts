// Sends what is due to one target, one delivery after the other, in an isolated process: if it dies, the delivery under way is to blame.
import { setTimeout as sleep } from 'node:timers/promises'
import type { DriveSuspect } from '../../kit/feature.ts'
import { startDeliveryLoop } from './deliveryLoop.ts'
import { announceMs } from './deliveriesChannel.ts'
import { setApart } from './deliveryBatches.ts'
import { clearDeaths, noteSending } from './deliveryRows.ts'

/** After how many deliveries the target is like any other again: the ones that processes died over were among the first. */
const sentMax = 100

export const sendAsSuspect: DriveSuspect = async ({ context, unit, process, took, turn }) => {
  let sent = 0
  const isOver = () => loop.isDoneWith(unit.id) || sent >= sentMax || turn.aborted
  const loop = startDeliveryLoop(context, process, {
    targetId: unit.id,
    async before(delivery) {
      sent += 1
      // whoever finds this process dead gives the delivery up, which only a row of its own can be
      if (delivery.batch) await setApart(context.db.sql, [{ target_id: unit.id, batch: delivery.batch }])
      delivery.batch = undefined
      await noteSending(context.db.sql, process.id, unit.id, delivery.id)
      await took(delivery.id)
    },
  })
  try {
    // the first poll finds the target and what is new, the second what is to be sent again
    await loop.poll()
    do {
      await loop.poll()
      await sleep(announceMs)
    } while (!isOver())
    // otherwise the count is reset with the target, unless something is still due
    if (sent >= sentMax) await clearDeaths(context.db.sql, unit.id)
  } finally {
    await loop.stop()
  }
  return sent > 0
}
