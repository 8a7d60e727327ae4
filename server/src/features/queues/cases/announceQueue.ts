// Notifies the workers of all processes that a queue has cases to dispatch, or room for more of them.
import { literals, part, type Part, type Sql } from '../../../base/db.ts'

export const caseQueuesChannel = 'case_queues'

/** The call that announces a queue, for a larger statement. */
export const notifyOfQueue = (queueId: Part): Part => part`pg_notify(${literals([caseQueuesChannel])}, ${queueId})`

/** Takes effect when the transaction commits. */
export async function announceQueue(sql: Sql, queueId: string): Promise<void> {
  await sql`select ${notifyOfQueue(part`${queueId}`)}`
}
