// A person gives a case up that they hold, or that nobody does.
import { operation } from '../../../kit/operation.ts'
import { nullable, Type, wrapped } from '../../../kit/schema.ts'
import { moveByPerson, Reason } from './moveByPerson.ts'
import { Case } from './case.ts'

export const failCase = operation({
  id: 'failCase',
  client: 'cases.fail',
  route: 'POST /v2/cases/:case_id/fail',
  summary: 'Fail a case',
  description:
    'A case that you hold, or that nobody holds. Refused with 409 if somebody else holds it or it has ended.',
  scope: 'queues:write',
  body: Type.Object({ reason: Type.Optional(nullable(Reason)) }),
  status: 200,
  answer: wrapped('case', 'case_id', Case),
  errors: ['conflict', 'not_found'],
  handler: (call) => moveByPerson(call, { type: 'failed', reason: call.body.reason ?? null }),
})
