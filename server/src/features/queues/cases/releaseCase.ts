// A person gives back a case that they hold: it waits again for whoever takes it next.
import { operation } from '../../../kit/operation.ts'
import { nullable, Type, wrapped } from '../../../kit/schema.ts'
import { announceQueue } from './announceQueue.ts'
import { moveByPerson, Reason } from './moveByPerson.ts'
import { Case } from './case.ts'

export const releaseCase = operation({
  id: 'releaseCase',
  client: 'cases.release',
  route: 'POST /v2/cases/:case_id/release',
  summary: 'Give a case back',
  description:
    'Only a case that you hold. It becomes pending again at its old position. Other cases are refused with 409.',
  scope: 'queues:write',
  body: Type.Object({ reason: Type.Optional(nullable(Reason)) }),
  status: 200,
  answer: wrapped('case', 'case_id', Case),
  errors: ['conflict', 'not_found'],
  async handler(call) {
    const released = await moveByPerson(call, { type: 'released', reason: call.body.reason ?? null })
    await announceQueue(call.sql, released.case.queue_id)
    return released
  },
})
