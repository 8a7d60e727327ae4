// Changes a queue's name, description or how many of its cases may be worked on at once.
import { sqlState, uniqueViolation } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { Type, wrapped } from '../../kit/schema.ts'
import { Queue, queueColumns, queueFields, takenName } from './queue.ts'
import { announceQueue } from './cases/announceQueue.ts'

export const updateQueue = operation({
  id: 'updateQueue',
  client: 'queues.update',
  route: 'PATCH /v2/queues/:queue_id',
  summary: 'Change a queue',
  description:
    'Only the given fields change. A lower `concurrency` stops no run; it counts for the cases that are dispatched next.',
  scope: 'queues:write',
  body: Type.Object(
    {
      name: Type.Optional(queueFields.name),
      description: Type.Optional(queueFields.description),
      concurrency: Type.Optional(queueFields.concurrency),
    },
    { examples: [{ description: 'What came in by mail', concurrency: 10 }] },
  ),
  status: 200,
  answer: wrapped('queue', 'queue_id', Queue),
  errors: ['duplicate_name', 'not_found'],
  async handler({ team, queue, body, sql, fail }) {
    try {
      const [changed] = await sql<Queue>`
        update queues q set
          name = coalesce(${body.name ?? null}, q.name),
          description = case when ${'description' in body} then ${body.description ?? null} else q.description end,
          concurrency = case when ${'concurrency' in body} then ${body.concurrency ?? null}::int else q.concurrency end,
          updated_at = now()
        where q.id = ${queue.id} and q.team_id = ${team.id}
        returning ${queueColumns}`
      if (!changed) return fail('not_found')
      if ('concurrency' in body) await announceQueue(sql, queue.id)
      return { queue: changed, queue_id: changed.id }
    } catch (error) {
      if (sqlState(error) === uniqueViolation) return fail('duplicate_name', takenName(body.name!))
      throw error
    }
  },
})
