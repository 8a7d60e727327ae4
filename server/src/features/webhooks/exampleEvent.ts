// The content of a test delivery: an example of an event, made from its schema.
import { envelopeOf, type EventName } from '../../kit/event.ts'
import { exampleOf as exampleOfSchema } from '../../kit/openapi.ts'

/** The data of an event that never happened; `test` says so. The other ids in it name nothing. */
export function exampleOf(event: EventName, { eventId, teamId }: { eventId: string; teamId: string }): object {
  const { data } = exampleOfSchema(envelopeOf(event).schema) as { data: object }
  return { ...data, event_id: eventId, team_id: teamId, test: true }
}
