// A person completes a case that they hold, or that nobody does.
import { operation } from '../../../kit/operation.ts'
import { Type, wrapped } from '../../../kit/schema.ts'
import { moveByPerson } from './moveByPerson.ts'
import { Case } from './case.ts'

export const completeCase = operation({
  id: 'completeCase',
  route: 'POST /v2/cases/:case_id/complete',
  summary: 'Complete a case',
  description: 'A case that you hold, or that nobody does. One that another holds or that has ended is a 409.',
  scope: 'queues:write',
  body: Type.Object({ result: Type.Optional(Type.Unknown({ description: 'What came of it, as any JSON.' })) }),
  status: 200,
  answer: wrapped('case', 'case_id', Case),
  errors: ['conflict', 'not_found'],
  handler: (call) => moveByPerson(call, { type: 'completed', result: call.body.result }),
})
