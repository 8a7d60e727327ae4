// Reads one queue with how many cases it has.
import { operation } from '../../kit/operation.ts'
import { wrapped } from '../../kit/schema.ts'
import { areInManyPieces } from './lists/caseCounts.ts'
import { foldCaseCounts } from './lists/foldCaseCounts.job.ts'
import { Queue, queueColumns } from './queue.ts'

export const getQueue = operation({
  id: 'getQueue',
  client: 'queues.get',
  route: 'GET /v2/queues/:queue_id',
  summary: 'Get a queue',
  description: 'The counts are exact.',
  scope: 'queues:read',
  status: 200,
  answer: wrapped('queue', 'queue_id', Queue),
  errors: ['not_found'],
  async handler({ team, queue, sql, enqueue, fail }) {
    const [found] = await sql<Queue>`
      select ${queueColumns} from queues q where q.id = ${queue.id} and q.team_id = ${team.id}`
    if (!found) return fail('not_found')
    if (await areInManyPieces(sql, [queue.id])) await enqueue(foldCaseCounts, {}, { key: foldCaseCounts.name })
    return { queue: found, queue_id: found.id }
  },
})
