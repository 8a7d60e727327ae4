// Lists the agents that fill a queue and those that work it, and what is unusual about them.
import { operation } from '../../../kit/operation.ts'
import { Id, nullable, oneOf, Type } from '../../../kit/schema.ts'
import { casesMax, consumersOf, daysMax, producersOf } from './queueAgents.ts'

const problems = ['multiple_triggers', 'producer_consumer_mix'] as const

export const listQueueAgents = operation({
  id: 'listQueueAgents',
  client: 'queues.listAgents',
  route: 'GET /v2/queues/:queue_id/agents',
  summary: 'List the agents of a queue',
  description:
    'Consumers are agents with a case trigger on the queue. Producers are agents whose runs added cases to it, or whose live procedure ' +
    'has a block that does. `problems`: `multiple_triggers` if several enabled triggers share the cases, `producer_consumer_mix` if an ' +
    'agent works on cases that it adds itself.',
  scope: 'queues:read',
  status: 200,
  answer: Type.Object(
    {
      queue_name: Type.String(),
      producers: Type.Array(
        Type.Object({
          id: Id,
          name: Type.String(),
          cases_made: Type.Integer({
            minimum: 0,
            description: `By its runs, of the last ${daysMax} days and of the newest ${casesMax} that any run made.`,
          }),
          in_procedure: Type.Boolean({ description: 'Its live procedure has a block that adds cases to this queue.' }),
        }),
      ),
      consumers: Type.Array(
        Type.Object({
          id: Id,
          name: Type.String(),
          trigger_id: Id,
          enabled: Type.Boolean(),
          concurrency: nullable(Type.Integer()),
        }),
      ),
      problems: Type.Array(oneOf(problems)),
    },
    { additionalProperties: false },
  ),
  async handler({ team, queue, sql }) {
    const of = { teamId: team.id, queueId: queue.id, queueName: queue.name }
    const consumers = await consumersOf(sql, of)
    const producers = await producersOf(sql, of)
    const working = new Set(consumers.filter(({ enabled }) => enabled).map(({ id }) => id))
    const isSo = {
      multiple_triggers: working.size > 1,
      producer_consumer_mix: producers.some(({ id }) => working.has(id)),
    }
    return { queue_name: queue.name, producers, consumers, problems: problems.filter((problem) => isSo[problem]) }
  },
})
