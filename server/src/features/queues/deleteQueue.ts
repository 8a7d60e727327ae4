// Deletes a queue with all that is in it: gone for everybody at once, erased piece by piece afterwards.
import { one } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { Id, Type } from '../../kit/schema.ts'
import { eraseQueue } from './eraseQueue.job.ts'
import { lockRunsOfQueue, stopRunsOfQueue } from './stopRunsOfQueue.ts'

export const deleteQueue = operation({
  id: 'deleteQueue',
  client: 'queues.delete',
  route: 'DELETE /v2/queues/:queue_id',
  summary: 'Delete a queue',
  description:
    'Stops its active runs and deletes its cases, labels and case triggers. Its name is free at once, and the runs stay readable.',
  scope: 'queues:write',
  tool: false,
  status: 200,
  answer: Type.Object({
    success: Type.Literal(true),
    deleted_case_count: Type.Integer({ minimum: 0 }),
    stopped_run_ids: Type.Array(Id, { description: 'The stopped runs, with the runs that they had started.' }),
  }),
  errors: ['not_found'],
  async handler({ team, queue, context, sql, enqueue, fail }) {
    const ofQueue = { teamId: team.id, queueId: queue.id }
    // runs are locked before queues, and the team's slots, which a stop locks, after both: so there is no deadlock
    await lockRunsOfQueue(sql, ofQueue)
    // dispatchers lock this row: from here on nobody dispatches its cases
    const locked = await sql`select id from queues where id = ${queue.id} and team_id = ${team.id} for no key update`
    if (locked.length === 0) fail('not_found')
    const stopped = await stopRunsOfQueue(context, sql, ofQueue)
    // waits for whoever is adding cases, and whoever comes later finds no queue
    await sql`delete from queues where id = ${queue.id} and team_id = ${team.id}`
    const count = await one(sql<{ cases: number }>`
      select coalesce(sum(cases), 0)::bigint as cases from case_counts where queue_id = ${queue.id}`)
    await enqueue(eraseQueue, { team_id: team.id, queue_id: queue.id })
    return { success: true as const, deleted_case_count: count.cases, stopped_run_ids: stopped }
  },
})
