// Explains why the cases of a queue move, or why they do not.
import { engineOf } from '../../../engine/engine.ts'
import { operation } from '../../../kit/operation.ts'
import { Id, oneOf, Type } from '../../../kit/schema.ts'
import { QueueFacts, queueFactsOf } from './queueFacts.ts'
import { reasonCodes, whyOf } from './whyQueue.ts'

export const explainQueue = operation({
  id: 'explainQueue',
  client: 'queues.explain',
  route: 'GET /v2/queues/:queue_id/why',
  summary: 'Explain a queue',
  description:
    'Says whether cases are dispatched to agents now, and if not, every reason why, with the facts: triggers, live builds, concurrency, slots of ' +
    'the team, monthly limits, guardrails of the team, and runs of its cases that wait for a connection or because of a guardrail.',
  scope: 'queues:read',
  status: 200,
  answer: Type.Object({
    queue_id: Id,
    is_moving: Type.Boolean({ description: 'A case that is added now would be dispatched at once.' }),
    reasons: Type.Array(Type.Object({ code: oneOf(reasonCodes), says: Type.String() }), {
      description: 'What keeps cases waiting, the first thing to change first. Empty if nothing does.',
    }),
    facts: QueueFacts,
  }),
  async handler({ queue, sql, context }) {
    const facts = await queueFactsOf(sql, queue, await engineOf(context).guardrails.of(queue.team_id, sql))
    const reasons = whyOf(facts)
    const isHeld = facts.limits_reached.length > 0 || facts.guardrails_reached.length > 0
    const isMoving = facts.agents.some(({ state }) => state === 'free') && !isHeld
    return { queue_id: queue.id, is_moving: isMoving, reasons, facts }
  },
})
