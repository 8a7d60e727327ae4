// A webhook: a URL that a team subscribed to some of its events.
import { part, type Sql } from '../../base/db.ts'
import { eventNames } from '../../kit/event.ts'
import { resource } from '../../kit/resources.ts'
import { Id, named, nullable, oneOf, Time, Type, url, type Static } from '../../kit/schema.ts'

/** What a caller may set of a webhook; the same fields are in every answer. */
export const fields = {
  url: url('A public http or https URL. Each event is sent there by POST.', ['https://hooks.example.com/runyard']),
  events: Type.Array(oneOf([...eventNames, '*']), {
    minItems: 1,
    maxItems: eventNames.length + 1,
    description: 'The events it gets; `*` is all there are and will be.',
    examples: [['run.completed', 'run.failed']],
  }),
  description: nullable(Type.String({ maxLength: 500, description: 'For people; never sent.' })),
}

export const Webhook = named(
  'Webhook',
  Type.Object({
    id: Id,
    team_id: Id,
    ...fields,
    active: Type.Boolean({ description: 'Nothing is sent while it is false.' }),
    created_at: Time,
    disabled_at: nullable(Time),
    disabled_reason: nullable(
      Type.String({ description: 'Why Runyard stopped sending there; setting `active` to true begins again.' }),
    ),
  }),
)

export type Webhook = Static<typeof Webhook>

export const webhookColumns = part`
  id, team_id, url, events, active, description, created_at, disabled_at, disabled_reason`

/** Subscriptions that were not deleted. */
export const webhooksOf = (teamId: string) => part`
  delivery_targets where team_id = ${teamId} and kind = 'subscription' and deleted_at is null`

const findWebhook = (sql: Sql, id: string, teamId: string): Promise<Webhook[]> => sql<Webhook>`
  select ${webhookColumns} from ${webhooksOf(teamId)} and id = ${id}`

/** The contract's routes call it subscription. */
export const subscription = resource('subscription', findWebhook)

declare module '../../kit/resources.ts' {
  interface Resources {
    subscription: Webhook
  }
}
