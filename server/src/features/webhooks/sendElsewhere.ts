// Lets a process of its own send to a target that two processes died over; a delivery that the third one died over is given up.
import { untilWritten } from '../../base/db.ts'
import type { Alone } from '../../kit/alone.ts'
import type { Context } from '../../kit/context.ts'
import { buryDeadly } from './targets.ts'

/** The kind of these units among the work that a process of its own does. */
export const targetKind = 'delivery target'

const reason =
  'Three processes of the service died while they sent to this receiver; the last one sent this delivery and did nothing else. It was given up.'

export async function sendElsewhere({ db, log }: Context, alone: Alone, targetId: string): Promise<void> {
  try {
    const ending = await alone.drive({ kind: targetKind, id: targetId, epoch: 0 })
    const deliveryId = ending.how === 'died' ? ending.at : undefined
    if (deliveryId === undefined) return
    await untilWritten(() => buryDeadly(db.sql, deliveryId, reason))
    log.error({ delivery_id: deliveryId }, 'a delivery is given up: processes died over it')
  } catch (error) {
    log.warn(
      { err: error, target_id: targetId },
      'a delivery that a process died over was not given up; it is tried again',
    )
  }
}
