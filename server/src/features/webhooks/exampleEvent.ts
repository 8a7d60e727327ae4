// What a test delivery tells: an example of an event, made of its schema.
import { envelopeOf, type EventName } from '../../kit/event.ts'
import { exampleOf as exampleOfSchema } from '../../kit/openapi.ts'

/** The data of an event that never happened; `test` says so. The other ids in it name nothing. */
export function exampleOf(event: EventName, { eventId, teamId }: { eventId: string; teamId: string }): object {
  const { data } = exampleOfSchema(envelopeOf(event).schema) as { data: object }
  return { ...data, event_id: eventId, team_id: teamId, test: true }
}
