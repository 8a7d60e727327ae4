// Lets a process for suspects send to a target that processes died over; a delivery that the last one died over is given up.
import { untilWritten } from '../../base/db.ts'
import type { LoneSeat } from '../../kit/alone.ts'
import type { Context } from '../../kit/context.ts'
import { buryDeadly, noteLoneDeath } from './deliveryRows.ts'

/** The kind of these units among the work that a process of its own does. */
export const targetKind = 'delivery target'

export async function sendElsewhere({ db, log }: Context, seat: LoneSeat, targetId: string): Promise<void> {
  try {
    const ending = await seat.drive({ kind: targetKind, id: targetId, epoch: 0 })
    if (ending.how !== 'died') return
    const { at: deliveryId, isSure } = ending
    if (!isSure || deliveryId === undefined) return await untilWritten(() => noteLoneDeath(db.sql, targetId))
    await untilWritten(() => buryDeadly(db.sql, deliveryId))
    log.error({ delivery_id: deliveryId }, 'a delivery is given up: processes died over it')
  } catch (error) {
    log.warn(
      { err: error, target_id: targetId },
      'a delivery that a process died over was not given up; it is tried again',
    )
  }
}
