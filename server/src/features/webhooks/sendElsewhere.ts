// Has an isolated process send to a target that processes died over. The delivery that kills it too is given up.
import { untilWritten } from '../../base/db.ts'
import type { SuspectSeat } from '../../kit/suspectProcesses.ts'
import type { Context } from '../../kit/context.ts'
import { giveUpDeadly, noteSuspectDeath } from './deliveryRows.ts'

/** The kind of these units among the work of isolated processes. */
export const targetKind = 'delivery target'

export async function sendElsewhere({ db, log }: Context, seat: SuspectSeat, targetId: string): Promise<void> {
  try {
    const ending = await seat.drive({ kind: targetKind, id: targetId, epoch: 0 })
    if (ending.how !== 'died') return
    const { at: deliveryId, isSure } = ending
    if (!isSure || deliveryId === undefined) return await untilWritten(() => noteSuspectDeath(db.sql, targetId))
    await untilWritten(() => giveUpDeadly(db.sql, deliveryId))
    log.error({ delivery_id: deliveryId }, 'a delivery is given up: processes died over it')
  } catch (error) {
    log.warn({ err: error, target_id: targetId }, 'could not give up a delivery that a process died over; will retry')
  }
}
