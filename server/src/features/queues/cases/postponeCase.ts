// A person postpones a case until a time; then it is dispatched before all others.
import { one } from '../../../base/db.ts'
import { operation } from '../../../kit/operation.ts'
import { instant, nullable, Type, wrapped } from '../../../kit/schema.ts'
import { moveByPerson, Reason } from './moveByPerson.ts'
import { Case } from './case.ts'

const tenYearsS = 3653 * 86_400

export const postponeCase = operation({
  id: 'postponeCase',
  client: 'cases.postpone',
  route: 'POST /v2/cases/:case_id/postpone',
  summary: 'Postpone a case',
  description:
    'Give either `postponed_to` or `seconds`: a time in the future, at most ten years away. Works for a case that you hold, or that ' +
    'nobody holds. Refused with 409 if somebody else holds it or it has ended.',
  scope: 'queues:write',
  body: Type.Object(
    {
      postponed_to: Type.Optional(instant('When it is dispatched again.')),
      seconds: Type.Optional(
        Type.Integer({ minimum: 1, maximum: tenYearsS, description: 'After how many seconds it is dispatched again.' }),
      ),
      reason: Type.Optional(nullable(Reason)),
    },
    { examples: [{ seconds: 3600, reason: 'The supplier answers in the afternoon.' }] },
  ),
  status: 200,
  answer: wrapped('case', 'case_id', Case),
  errors: ['invalid_request', 'conflict', 'not_found'],
  async handler(call) {
    const { body, sql, fail } = call
    if ((body.postponed_to === undefined) === (body.seconds === undefined)) {
      fail('invalid_request', 'Say either postponed_to or seconds.')
    }
    // by the database's clock, which also says when it is due
    const clock = await one(sql<{ now: Date }>`select now() as now`)
    const nowMs = clock.now.getTime()
    const atMs = body.seconds === undefined ? Date.parse(body.postponed_to!) : nowMs + body.seconds * 1000
    if (atMs <= nowMs || atMs > nowMs + tenYearsS * 1000) {
      fail('invalid_request', 'postponed_to must lie ahead, and at most ten years. Choose another time.')
    }
    return moveByPerson(call, { type: 'postponed', postponed_to: new Date(atMs), reason: body.reason ?? null })
  },
})
