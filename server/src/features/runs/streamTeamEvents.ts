// Streams all events of a team as they happen, resumable for a day.
import type { Context } from '../../kit/context.ts'
import { envelopeOf, eventNames, scopeOfEvent, withheldEvents, type EventName } from '../../kit/event.ts'
import { eventFeedOf } from '../../kit/eventFeed.ts'
import { exampleOf } from '../../kit/openapi.ts'
import { Type } from '../../kit/schema.ts'
import { openAfterUpgrade, positionText, readPosition, type Opened } from '../../kit/eventPositions.ts'
import { strangeLastEventId, stream } from '../../kit/stream.ts'

const examplePositions = {
  start: '4711-2147483647-0-01981c5e-7a40-7c8e-9d7a-4f5b6c7d8e9f',
  event: '4713-9-4-01981c5e-7a52-7d01-8c3b-2a1b3c4d0000',
}

export const streamTeamEvents = stream({
  id: 'streamTeamEvents',
  client: 'teams.events',
  route: 'GET /v2/teams/:teamId/events',
  summary: 'Stream a team’s events',
  description:
    'Server-sent events: every event of the team that the credential may read, from now on or after `Last-Event-ID`. The id is the ' +
    'position in this stream, a text to be sent back as it is; the data is the envelope of a webhook, with the id of the event as `id`. ' +
    'A reader that resumes loses and repeats nothing; a stream can be resumed for 24 hours. `start` comes first and has the first ' +
    'position. `gap` says that some events after `Last-Event-ID` are no longer kept; the stream continues with the oldest one that is. A ' +
    'comment is sent every 15 seconds; a reader that takes nothing for 30 seconds is disconnected and can resume. Each kind of event ' +
    'needs a scope: `runs:read` for runs and human requests, `files:read` for files of runs, `queues:read` for cases, `agents:read` for ' +
    'builds, `connections:read` for connections.',
  scope: 'runs:read',
  query: Type.Object({
    events: Type.Optional(
      Type.String({
        pattern: '^[a-z_.]+(,[a-z_.]+)*$',
        description: 'Only these kinds, comma-separated; all of them unless given.',
        examples: ['run.completed,run.failed'],
      }),
    ),
  }),
  errors: ['insufficient_scope', 'invalid_request'],
  example: [
    { id: examplePositions.start, event: 'start', data: JSON.stringify({ position: examplePositions.start }) },
    {
      id: examplePositions.event,
      event: 'run.completed',
      data: JSON.stringify(exampleOf(envelopeOf('run.completed').schema)),
    },
  ],
  async open({ team, caller, query, lastEventId, context, fail }) {
    const wanted = new Set(query.events?.split(','))
    const unknown = [...wanted].filter((name) => !(eventNames as string[]).includes(name))
    if (unknown.length > 0) {
      fail('invalid_request', `events names ${unknown.join(', ')}. The kinds of events are: ${eventNames.join(', ')}.`)
    }
    const withheld = new Set<string>(withheldEvents(caller.scopes))
    const refused = [...wanted].find((name) => withheld.has(name)) as EventName | undefined
    if (refused !== undefined) {
      fail('insufficient_scope', `This credential lacks the scope ${scopeOfEvent(refused)}, which reads ${refused}.`)
    }
    const wants = (event: EventName) => !withheld.has(event) && (wanted.size === 0 || wanted.has(event))
    const { after, isGap, had } = await begin(context, team.id, lastEventId)
    return (opened) => {
      const position = positionText(after)
      // with an id, so that a reader who loses the connection before the first event comes back to this position
      opened.send({ id: position, event: isGap ? 'gap' : 'start', data: JSON.stringify({ position }) })
      return eventFeedOf(context).followTeam({
        teamId: team.id,
        memberId: caller.member_id,
        after,
        had: new Set(had),
        wants,
        stream: opened,
      })
    }
  },
})

function begin(context: Context, teamId: string, lastEventId: string | undefined): Promise<Opened> {
  if (lastEventId === undefined) return eventFeedOf(context).openTeam(teamId, undefined)
  // positions were whole numbers before version 0.7
  if (/^\d{1,15}$/.test(lastEventId)) return openAfterUpgrade(context.db.sql, teamId)
  const last = readPosition(lastEventId)
  if (!last) throw strangeLastEventId()
  return eventFeedOf(context).openTeam(teamId, last)
}
