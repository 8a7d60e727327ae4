// Streams one run: its events from the first to the last, and text while a model makes it.
import { textDeltasOf } from '../../engine/driving/textDeltas.ts'
import { envelopeOf, withheldEvents, type EventName } from '../../kit/event.ts'
import { eventFeedOf } from '../../kit/eventFeed.ts'
import { exampleOf } from '../../kit/openapi.ts'
import { strangeLastEventId, stream } from '../../kit/stream.ts'

const run_id = '01981c5e-7a40-7c8e-9d7a-4f5b6c7d8e9f'

export const streamRunEvents = stream({
  id: 'streamRunEvents',
  client: 'runs.events',
  route: 'GET /v2/runs/:run_id/events',
  summary: 'Stream a run',
  description:
    'Server-sent events: every event of the run in order, from the first one or after `Last-Event-ID`. The id is the `sequence` of the ' +
    'event; the data is the envelope of a webhook, with the id of the event as `id`. There are two more kinds, which have no id and are ' +
    'not sent again: `delta` is a piece of text while a model writes it, and `end` closes the stream after the last event of an ended ' +
    'run. If a message starts the run again, it can be streamed again. A credential without `files:read` gets no events about files. A ' +
    'comment is sent every 15 seconds; a reader that takes nothing for 30 seconds is disconnected and can resume.',
  scope: 'runs:read',
  example: [
    { id: '1', event: 'run.started', data: JSON.stringify(exampleOf(envelopeOf('run.started').schema)) },
    { event: 'delta', data: JSON.stringify({ run_id, text: 'The invoice ' }) },
    { event: 'end', data: JSON.stringify({ run_id, status: 'completed' }) },
  ],
  async open({ team, run, caller, lastEventId, context, sql }) {
    const withheld = new Set<EventName>(withheldEvents(caller.scopes))
    const wants = (event: EventName) => !withheld.has(event)
    if (lastEventId !== undefined && !/^\d{1,15}$/.test(lastEventId)) throw strangeLastEventId()
    const [newest] =
      lastEventId === undefined
        ? []
        : await sql<{ event_seq: number }>`select event_seq from runs where id = ${run.id} and team_id = ${team.id}`
    // a number that was never given would hide all events up to it
    const after = Math.min(Number(lastEventId ?? 0), newest?.event_seq ?? 0)
    return (opened) => {
      const stopEvents = eventFeedOf(context).followRun({
        teamId: team.id,
        runId: run.id,
        after,
        wants,
        stream: opened,
      })
      const stopText = textDeltasOf(context).follow(run.id, (text) =>
        opened.send({ event: 'delta', data: JSON.stringify({ run_id: run.id, text }) }),
      )
      return () => {
        stopEvents()
        stopText()
      }
    }
  },
})
