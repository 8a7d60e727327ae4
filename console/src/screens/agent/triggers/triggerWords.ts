// The words for kinds of triggers, and for what became of what came in.
import type { Trigger, TriggerDelivery } from '@runyard/sdk'

export const kindWords: Record<Trigger['kind'], string> = {
  webhook: 'Webhook',
  event: 'Event',
  poll: 'Poll',
  email: 'Mail',
}

export const verifierWords: Record<NonNullable<Trigger['webhook']>['verifier'], string> = {
  none: 'Nothing: whoever knows the URL may send',
  github: 'GitHub’s signature',
  stripe: 'Stripe’s signature',
  slack: 'Slack’s signature',
  standard_webhooks: 'Standard Webhooks signature',
  secret: 'A secret in a header',
}

export const statusWords: Record<
  TriggerDelivery['status'],
  { says: string; tone?: 'live' | 'wait' | 'fail' | 'pass' }
> = {
  waiting: { says: 'waiting', tone: 'wait' },
  started: { says: 'started', tone: 'pass' },
  filtered: { says: 'filtered out' },
  repeated: { says: 'repeated' },
  dropped: { says: 'dropped' },
  failed: { says: 'failed', tone: 'fail' },
}

/** What people call it: its name, or what it is. */
export function nameOf({ name, kind, event, poll }: Pick<Trigger, 'name' | 'kind' | 'event' | 'poll'>): string {
  if (name !== null) return name
  if (event) return `Event ${event.event}`
  return poll ? `Poll ${poll.tool}` : kindWords[kind]
}

const minutes = (count: number): string => (count === 1 ? 'every minute' : `every ${count} minutes`)

/** What starts it, in a few words; null where it is a text to copy. */
export function causeOf({ event, poll }: Pick<Trigger, 'event' | 'poll'>): string | null {
  if (event) return event.agent_id === null ? event.event : `${event.event} of one agent`
  return poll ? `New items of ${poll.tool}, ${minutes(poll.every_minutes)}` : null
}
