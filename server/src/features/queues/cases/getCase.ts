// Reads one case with its timeline.
import { operation } from '../../../kit/operation.ts'
import { Id, named, nullable, Time, Type, type Static } from '../../../kit/schema.ts'
import { Case } from './case.ts'

/** How many entries of the timeline are shown: the last ones explain the present state. */
const eventsMax = 500

const CaseEvent = named(
  'CaseEvent',
  Type.Object({
    id: Id,
    type: Type.String({ examples: ['claimed'] }),
    run_id: nullable(Id),
    user_id: nullable(Id),
    reason: nullable(Type.String()),
    created_at: Time,
  }),
)

export const getCase = operation({
  id: 'getCase',
  client: 'cases.get',
  route: 'GET /v2/cases/:case_id',
  summary: 'Get a case with its timeline',
  description: `\`events\` says who did what to it, when and why: the last ${eventsMax} of them, oldest first.`,
  scope: 'queues:read',
  status: 200,
  answer: Type.Object({ case: Case, case_id: Id, events: Type.Array(CaseEvent) }),
  async handler({ team, case: { team_id: _team, ...found }, sql }) {
    const events = await sql<Static<typeof CaseEvent>>`
      select id, type, run_id, user_id, reason, created_at from case_events
      where case_id = ${found.id} and team_id = ${team.id} order by created_at desc, id desc limit ${eventsMax}`
    return { case: found, case_id: found.id, events: events.toReversed() }
  },
})
