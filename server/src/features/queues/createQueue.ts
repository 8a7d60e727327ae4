// Makes a queue.
import { newId } from '../../base/ids.ts'
import { operation } from '../../kit/operation.ts'
import { Type, wrapped } from '../../kit/schema.ts'
import { Queue, queueColumns, queueFields, takenName } from './queue.ts'

export const createQueue = operation({
  id: 'createQueue',
  client: 'queues.create',
  route: 'POST /v2/teams/:teamId/queues',
  summary: 'Make a queue',
  description:
    'A queue holds cases until a run or a person takes them. Give an agent a case trigger on it, and each case starts a run.',
  scope: 'queues:write',
  body: Type.Object(
    {
      name: queueFields.name,
      description: Type.Optional(queueFields.description),
      concurrency: Type.Optional(queueFields.concurrency),
    },
    { examples: [{ name: 'Invoices', concurrency: 5 }] },
  ),
  status: 201,
  answer: wrapped('queue', 'queue_id', Queue),
  errors: ['duplicate_name'],
  async handler({ team, body, sql, fail }) {
    const [made] = await sql<Queue>`
      insert into queues as q (id, team_id, name, description, concurrency)
      values (${newId()}, ${team.id}, ${body.name}, ${body.description ?? null}, ${body.concurrency ?? null})
      on conflict (team_id, name) do nothing
      returning ${queueColumns}`
    if (!made) return fail('duplicate_name', takenName(body.name))
    return { queue: made, queue_id: made.id }
  },
})
