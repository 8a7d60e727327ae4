// A person completes a case that they hold, or that nobody does.
import { operation } from '../../../kit/operation.ts'
import { Type, wrapped } from '../../../kit/schema.ts'
import { moveByPerson } from './moveByPerson.ts'
import { Case } from './case.ts'

export const completeCase = operation({
  id: 'completeCase',
  client: 'cases.complete',
  route: 'POST /v2/cases/:case_id/complete',
  summary: 'Complete a case',
  description:
    'A case that you hold, or that nobody holds. Refused with 409 if somebody else holds it or it has ended.',
  scope: 'queues:write',
  body: Type.Object({ result: Type.Optional(Type.Unknown({ description: 'The result, as any JSON.' })) }),
  status: 200,
  answer: wrapped('case', 'case_id', Case),
  errors: ['conflict', 'not_found'],
  handler: (call) => moveByPerson(call, { type: 'completed', result: call.body.result }),
})
