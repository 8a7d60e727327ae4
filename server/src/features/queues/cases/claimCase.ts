// A person takes a case: from here on nobody else can, neither a run nor another person.
import { operation } from '../../../kit/operation.ts'
import { wrapped } from '../../../kit/schema.ts'
import { moveByPerson } from './moveByPerson.ts'
import { Case } from './case.ts'

export const claimCase = operation({
  id: 'claimCase',
  client: 'cases.claim',
  route: 'POST /v2/cases/:case_id/claim',
  summary: 'Take a case',
  description:
    'The case is yours until you complete, fail, postpone or release it; no agent gets it before that. A postponed case can be taken ' +
    'before its time. Refused with 409 if somebody holds it, you included, or it has ended.',
  scope: 'queues:write',
  status: 200,
  answer: wrapped('case', 'case_id', Case),
  errors: ['conflict', 'not_found'],
  handler: (call) => moveByPerson(call, { type: 'claimed' }),
})
