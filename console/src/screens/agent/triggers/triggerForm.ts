// The form of a trigger: what is typed, what of it is sent, and what is missing.
import type { Trigger, UpdateTriggerInput } from '@runyard/sdk'

type Webhook = NonNullable<Trigger['webhook']>
type Event = NonNullable<Trigger['event']>

export interface TriggerForm {
  kind: Trigger['kind']
  name: string
  filter: string
  message: string
  dedupe_key: string
  concurrency: string
  verifier: Webhook['verifier']
  header: string
  secret: string
  event: Event['event']
  ofAgent: string
  connection: string
  tool: string
  /** JSON as it is typed. */
  args: string
  items: string
  every: string
  startExisting: boolean
}

export function formOf(trigger: Trigger | undefined): TriggerForm {
  const { webhook, event, poll } = trigger ?? { webhook: null, event: null, poll: null }
  return {
    kind: trigger?.kind ?? 'webhook',
    name: trigger?.name ?? '',
    filter: trigger?.filter ?? '',
    message: trigger?.message ?? '',
    dedupe_key: trigger?.dedupe_key ?? '',
    concurrency: trigger?.concurrency ? String(trigger.concurrency) : '',
    verifier: webhook?.verifier ?? 'github',
    header: webhook?.header ?? '',
    secret: '',
    event: event?.event ?? 'run.failed',
    ofAgent: event?.agent_id ?? '',
    connection: poll?.connection_id ?? '',
    tool: poll?.tool ?? '',
    args: poll && Object.keys(poll.arguments).length > 0 ? JSON.stringify(poll.arguments, null, 2) : '',
    items: poll?.items ?? '',
    every: String(poll?.every_minutes ?? 5),
    startExisting: poll?.start_existing ?? false,
  }
}

const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim())

export function inputOf(form: TriggerForm): UpdateTriggerInput {
  const { kind, verifier, secret, message } = form
  return {
    name: orNull(form.name),
    filter: orNull(form.filter),
    message: message.trim() === '' ? null : message,
    dedupe_key: orNull(form.dedupe_key),
    concurrency: form.concurrency.trim() === '' ? null : Number(form.concurrency),
    ...(kind === 'webhook' && {
      webhook: {
        verifier,
        ...(verifier === 'secret' && { header: orNull(form.header) }),
        // an empty field leaves the secret as it is
        ...(verifier !== 'none' && secret !== '' && { secret }),
      },
    }),
    ...(kind === 'event' && { event: { event: form.event, agent_id: orNull(form.ofAgent) } }),
    ...(kind === 'poll' && {
      poll: {
        connection_id: form.connection,
        tool: form.tool,
        arguments: (argumentsOf(form.args) ?? {}) as Record<string, unknown>,
        items: orNull(form.items),
        every_minutes: Number(form.every),
        start_existing: form.startExisting,
      },
    }),
  }
}

/** Undefined: it is not a JSON object. */
export function argumentsOf(text: string): object | undefined {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Why it cannot be sent yet. */
export function unableOf(form: TriggerForm, trigger: Trigger | undefined): string | undefined {
  const { kind, verifier, secret, connection, tool, args } = form
  const hasSecret = trigger?.webhook?.has_secret === true && trigger.webhook.verifier === verifier
  if (kind === 'webhook' && verifier !== 'none' && !hasSecret && secret.length < 8) {
    return 'Give the secret of the sender, eight characters at least.'
  }
  if (kind === 'poll' && connection === '') return 'Choose a connection first.'
  if (kind === 'poll' && tool === '') return 'Choose a tool first.'
  if (kind === 'poll' && argumentsOf(args) === undefined) return 'The arguments must be a JSON object.'
  return undefined
}
