// Sends what is due to one target, one delivery after the other, in a process for suspects: a death is due to the one under way.
import { setTimeout as sleep } from 'node:timers/promises'
import type { LoneDrive } from '../../kit/feature.ts'
import { startDelivering } from './deliveryLoop.ts'
import { lookMs } from './deliveriesChannel.ts'
import { clearDeaths, noteSending } from './deliveryRows.ts'

/** After this many the target is like any other again: the deliveries that processes died over were among the first. */
const sentMax = 100

export const sendAlone: LoneDrive = async ({ context, unit, process, took, turn }) => {
  let sent = 0
  const isOver = () => sending.isDoneWith(unit.id) || sent >= sentMax || turn.aborted
  const sending = startDelivering(context, process, {
    targetId: unit.id,
    async before(deliveryId) {
      sent += 1
      await noteSending(context.db.sql, process.id, unit.id, deliveryId)
      await took(deliveryId)
    },
  })
  try {
    // the first look finds the target and what is new, the second what is to be sent again
    await sending.look()
    do {
      await sending.look()
      await sleep(lookMs)
    } while (!isOver())
    // otherwise the count is reset with the target, unless something is still due
    if (sent >= sentMax) await clearDeaths(context.db.sql, unit.id)
  } finally {
    await sending.stop()
  }
  return sent > 0
}
