// Lists the events of a team, newest first, each with what became of its deliveries.
import { idForFilter } from '../../base/ids.ts'
import { eventNames, withheldEvents } from '../../kit/event.ts'
import { operation } from '../../kit/operation.ts'
import { truncatedField } from '../../kit/pageBytes.ts'
import { Id, instant, named, nullable, oneOf, Time, Type, type Static } from '../../kit/schema.ts'
import { DeliveryCounts, readListed, withDeliveryCounts } from './listedEvents.ts'
import { cursorPattern, nextPlaces, readCursor, writeCursor } from './teamEventPages.ts'

const TeamEvent = named(
  'TeamEvent',
  Type.Object({
    id: Id,
    run_id: nullable(Id),
    event: oneOf(eventNames),
    created_at: Time,
    data: Type.Unknown({ description: 'As webhooks and streams carry it.' }),
    deliveries: DeliveryCounts,
    truncated: truncatedField,
  }),
)
type TeamEvent = Static<typeof TeamEvent>

export const listTeamEvents = operation({
  id: 'listTeamEvents',
  client: 'teams.listEvents',
  route: 'GET /v2/teams/:teamId/event-log',
  summary: 'List a team’s events',
  description:
    'Newest first, as they are stored: events are erased after their time. A request looks through a part of the log at most, so a page ' +
    'may have fewer than `limit`, or none; `looked_until` says then how far it looked. `next_before` continues it, and is null at the end. Kinds of events that the credential may ' +
    'not read are left out, as in the stream.',
  scope: 'runs:read',
  query: Type.Object({
    event: Type.Optional(oneOf(eventNames, { description: 'Only events of this kind.' })),
    run_id: Type.Optional(Type.String({ description: 'Only events of this run.' })),
    since: Type.Optional(instant('Events from this time on.')),
    before: Type.Optional(
      Type.String({ pattern: cursorPattern, description: '`next_before` of the page before: continues there.' }),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'How many a page has at most.' }),
    ),
  }),
  status: 200,
  answer: Type.Object({
    events: Type.Array(TeamEvent),
    next_before: nullable(Type.String({ description: 'Where the next page begins. Null: there is none.' })),
    looked_until: nullable(Time),
  }),
  async handler({ team, caller, query, sql }) {
    const { event, run_id: runId, since, before, limit = 50 } = query
    const wanted = {
      teamId: team.id,
      memberId: caller.member_id,
      event,
      withheld: withheldEvents(caller.scopes),
      since,
      runId: runId === undefined ? undefined : idForFilter(runId),
      limit,
    }
    const { found, next, lookedUntil } = await nextPlaces(
      sql,
      wanted,
      before === undefined ? undefined : readCursor(before),
    )
    const rows = await readListed<Row>(sql, team.id, found, 'run_id')
    const events = await withDeliveryCounts(sql, team.id, rows, (row) => row.run_id)
    return { events, next_before: next === undefined ? null : writeCursor(next), looked_until: lookedUntil }
  },
})

type Row = Omit<TeamEvent, 'deliveries'>
