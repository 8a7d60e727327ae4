// Adds cases to a queue, all or none of them.
import { newId } from '../../../base/ids.ts'
import { operation } from '../../../kit/operation.ts'
import { refuseFor } from '../../../kit/problems.ts'
import { Type, type Static } from '../../../kit/schema.ts'
import { Case, casesById } from './case.ts'
import { bytesOfCase, caseFields, isTooLarge, tooLarge } from './caseFields.ts'
import { insertCases, type Inserted } from './insertCases.ts'
import { GivenLabel, labelNameOf, labelsMax, makeLabels } from '../labels/label.ts'
import { storageProblem } from '../../../engine/engine.ts'

const NewCase = Type.Object({
  title: caseFields.title,
  data: Type.Optional(caseFields.data),
  priority: Type.Optional(caseFields.priority),
  labels: Type.Optional(
    Type.Array(GivenLabel, { maxItems: labelsMax, description: 'Made in the queue where they are missing.' }),
  ),
  external_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        'Your own id for the case, unique per queue. If the queue has it already, the existing case is returned unchanged.',
      examples: ['crm-4711'],
    }),
  ),
})

const AddedCase = Type.Object({
  ...Case.properties,
  existing: Type.Boolean({ description: 'The queue already had a case with this external_id; nothing was changed.' }),
})

const Body = Type.Object(
  {
    case: Type.Optional(NewCase),
    cases: Type.Optional(Type.Array(NewCase, { minItems: 1, maxItems: 100 })),
  },
  { examples: [{ cases: [{ title: 'Invoice 4711', data: '{"amount": 120.5}', priority: 'high' }] }] },
)

export const createCases = operation({
  id: 'createCases',
  client: 'cases.create',
  route: 'POST /v2/queues/:queue_id/cases',
  summary: 'Add cases to a queue',
  description: 'One `case`, or up to 100 `cases`: all of them or none. The answer has them in the same order.',
  scope: 'queues:write',
  body: Body,
  bodyBytesMax: 16 * 1024 * 1024,
  status: 201,
  answer: Type.Object({ added_cases: Type.Array(AddedCase) }),
  errors: ['invalid_request', 'not_found', 'entitlement_exceeded'],
  emits: ['queue.case.created'],
  async handler({ team, caller, queue, body, context, sql, fail }) {
    refuseFor(problemsOf(body))
    const given = body.cases ?? [body.case!]
    const problem = await storageProblem(
      context,
      sql,
      team.id,
      given.map(bytesOfCase).reduce((sum, bytes) => sum + bytes),
    )
    if (problem !== undefined) return fail('entitlement_exceeded', problem)
    const labels = await makeLabels(
      sql,
      { teamId: team.id, queueId: queue.id },
      given.flatMap((one) => (one.labels ?? []).map(labelNameOf)),
    )
    const labelIds = (one: Static<typeof NewCase>) =>
      labels
        .filter(({ key, value }) =>
          one.labels?.map(labelNameOf).some((name) => name.key === key && name.value === value),
        )
        .map(({ id }) => id)
    // all are of one time: their ids keep the order in which they were given
    const newIds = given.map(() => newId()).toSorted()
    const inserted = await insertCases(
      sql,
      given.map((one, index) => ({
        id: newIds[index]!,
        team_id: team.id,
        queue_id: queue.id,
        title: one.title,
        data: one.data ?? '',
        priority: one.priority ?? 'none',
        external_id: one.external_id ?? null,
        created_by_user_id: caller.member_id,
        created_by_run_id: null,
        label_ids: labelIds(one),
      })),
    )
    // the queue was deleted after the path was resolved
    if (!inserted.every((one) => one !== undefined)) return fail('not_found')
    const isKnown = (index: number) => !inserted[index]!.existing && !given[index]!.labels?.length
    const ids = inserted.filter((_, index) => !isKnown(index)).map(({ id }) => id)
    const read = new Map((await casesById(sql, team.id, ids)).map((one) => [one.id, one]))
    const added_cases = inserted.map((one, index) => ({
      ...(read.get(one.id) ?? newCaseAnswer(given[index]!, one, { queueId: queue.id, userId: caller.member_id })),
      existing: one.existing,
    }))
    return { added_cases }
  },
})

function problemsOf({ case: one, cases }: Static<typeof Body>): string[] {
  const large = (cases ?? []).flatMap(({ data }, index) => (isTooLarge(data) ? [tooLarge(`cases.${index}.data`)] : []))
  return [
    ...((one === undefined) === (cases === undefined)
      ? ['Send either case, with one case, or cases, with 1 to 100 of them.']
      : []),
    ...(one && isTooLarge(one.data) ? [tooLarge('case.data')] : []),
    ...large,
  ]
}

/** Builds the answer for a case without labels without reading it: the database would return the same. */
const newCaseAnswer = (
  given: Static<typeof NewCase>,
  { id, created_at }: Inserted,
  { queueId, userId }: { queueId: string; userId: string },
): Case => ({
  id,
  queue_id: queueId,
  title: given.title,
  data: given.data ?? '',
  status: 'pending',
  display_status: 'pending',
  priority: given.priority ?? 'none',
  labels: [],
  claimed_at: null,
  claimed_by_run_id: null,
  claimed_by_user_id: null,
  completed_at: null,
  postponed_to: null,
  attempts: 0,
  result: null,
  reason: null,
  pending_human_request_id: null,
  created_by_user_id: userId,
  created_at,
  updated_at: created_at,
})
