// A trigger: starts a run of an agent for each thing that happens outside.
import { part, type Part, type Sql } from '../../base/db.ts'
import type { SealedColumn } from '../../base/sealedColumns.ts'
import type { Context } from '../../kit/context.ts'
import type { Caller } from '../../kit/credential.ts'
import { eventNames, type EventName } from '../../kit/event.ts'
import { listed, longText, truncatedField } from '../../kit/pageBytes.ts'
import { resource } from '../../kit/resources.ts'
import { Id, named, nullable, oneOf, Time, Type, type Static } from '../../kit/schema.ts'
import { triggerKinds, type TriggerKind } from './judge.ts'
import { addressOfMail } from './mailAddress.ts'
import { verifiers, type Verifier } from './verify.ts'

const expression = (description: string, examples: string[]) =>
  nullable(Type.String({ minLength: 1, maxLength: 2000, description, examples }))

/** What a caller may set of every trigger; the same fields are in every answer. */
export const fields = {
  name: nullable(
    Type.String({ minLength: 1, maxLength: 200, description: 'What people call it.', examples: ['New orders'] }),
  ),
  enabled: Type.Boolean({
    description: 'Paused when false: nothing is taken, and what waits is dropped. It can be replayed.',
  }),
  filter: expression('An expression; only what makes it true starts a run. Null: everything does.', [
    'body.action == "opened"',
  ]),
  message: nullable(
    Type.String({
      minLength: 1,
      maxLength: 65_536,
      description:
        'The message of each run: a text with `{{ }}`. Null: what came in (`body`, `event`, `item` or `mail`) is the message.',
      examples: ['Look at issue {{ body.issue.number }}: {{ body.issue.title }}'],
    }),
  ),
  dedupe_key: expression(
    'An expression; what comes with a key that has started a run before starts none. Null: the id by which the sender itself marks ' +
      'repetitions, if it sends one.',
    ['body.order.id'],
  ),
  concurrency: nullable(
    Type.Integer({
      minimum: 1,
      maximum: 10_000,
      description: 'How many of its runs may be active at once; the others wait. Null: no limit of its own.',
    }),
  ),
}

export const webhookFields = {
  verifier: oneOf(verifiers, {
    description:
      'How a sender proves itself: by the signature of GitHub, Stripe, Slack or Standard Webhooks, or by a secret in a header. A request ' +
      'without a valid proof gets a 401 and is not stored. With `none`, whoever knows the URL may send.',
  }),
  header: nullable(
    Type.String({
      pattern: '^[a-z0-9-]{1,100}$',
      description: 'With `secret`: the header that has it, in lower case; `x-webhook-secret` unless given.',
      examples: ['x-gitlab-token'],
    }),
  ),
}

export const eventFields = {
  event: oneOf(eventNames, { description: 'The event of this team that starts runs.', examples: ['run.failed'] }),
  agent_id: nullable(Type.String({ description: 'Only events of this agent. Null: of any.' })),
}

export const pollFields = {
  connection_id: Type.String({ description: 'An MCP connection of the team.' }),
  tool: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'The tool of it that lists the items.',
    examples: ['list_orders'],
  }),
  arguments: Type.Record(Type.String(), Type.Unknown(), {
    description: 'The arguments of each call, at most 16 KiB.',
    examples: [{ status: 'open' }],
  }),
  items: expression(
    'An expression for the list in `result`, the answer of the tool. Null: the answer is the list, or its only list is.',
    ['result.orders'],
  ),
  every_minutes: Type.Integer({ minimum: 1, maximum: 1440, description: 'The time between two calls.' }),
  start_existing: Type.Boolean({
    description: 'Whether what the first call finds starts runs too. Otherwise only what is new after it does.',
  }),
}

export const Trigger = named(
  'Trigger',
  Type.Object({
    id: Id,
    agent_id: Id,
    user_id: Id,
    kind: oneOf(triggerKinds),
    ...fields,
    webhook: nullable(
      Type.Object({
        url: nullable(
          Type.String({ description: 'Where senders send to. Only for callers who may change the trigger.' }),
        ),
        ...webhookFields,
        has_secret: Type.Boolean(),
      }),
    ),
    event: nullable(Type.Object({ event: eventFields.event, agent_id: nullable(Id) })),
    poll: nullable(
      Type.Object({
        ...pollFields,
        connection_id: Id,
        next_poll_at: nullable(Time),
        last_polled_at: nullable(Time),
        last_problem: nullable(Type.String({ description: 'Why the last call brought nothing. Null: it went well.' })),
      }),
    ),
    email: nullable(
      Type.Object({
        address: nullable(
          Type.String({
            description:
              'Where mail goes to. Only for callers who may change the trigger, and null while this server takes no mail.',
          }),
        ),
      }),
    ),
    last_delivery_at: nullable(Time),
    created_at: Time,
    updated_at: Time,
    truncated: truncatedField,
  }),
)
export type Trigger = Static<typeof Trigger>

/** A trigger as its row has it; what is sealed stays sealed. */
export interface TriggerRow {
  id: string
  team_id: string
  agent_id: string
  user_id: string
  kind: TriggerKind
  name: string | null
  enabled: boolean
  filter: string | null
  message: string | null
  dedupe_key: string | null
  concurrency: number | null
  token: Buffer | null
  verifier: Verifier | null
  secret_header: string | null
  has_secret: boolean
  event: EventName | null
  event_agent_id: string | null
  connection_id: string | null
  tool: string | null
  arguments: Record<string, unknown> | null
  items: string | null
  every_minutes: number | null
  start_existing: boolean | null
  next_poll_at: Date | null
  last_polled_at: Date | null
  last_problem: string | null
  last_delivery_at: Date | null
  created_at: Date
  updated_at: Date
  truncated?: boolean
}

const columnsWith = (message: Part): Part => part`
  triggers.id, triggers.team_id, agent_id, user_id, kind, name, enabled, filter, ${message} as message, dedupe_key, concurrency, token, verifier,
  secret_header, secret is not null as has_secret, event, event_agent_id, connection_id, tool, arguments, items, every_minutes, start_existing,
  next_poll_at, last_polled_at, last_problem,
  (select d.received_at from trigger_deliveries d where d.trigger_id = triggers.id order by d.n desc limit 1) as last_delivery_at,
  created_at, updated_at`

export const triggerColumns = columnsWith(part`message`)
export const longMessage = longText(part`triggers.message`)
export const listedTriggerColumns = columnsWith(listed(longMessage))

const purposeOfToken = (id: string): string => `address of the trigger ${id}`
export const purposeOfSecret = (id: string): string => `secret of the trigger ${id}`

export const sealedTriggers: SealedColumn[] = [
  { table: 'triggers', column: 'token', key: ['id'], purpose: (row) => purposeOfToken(row['id']!) },
  { table: 'triggers', column: 'secret', key: ['id'], purpose: (row) => purposeOfSecret(row['id']!) },
]

export const sealedToken = ({ keyring }: Context, id: string, token: string): Buffer =>
  keyring.seal(token, purposeOfToken(id))

export const sealedSecret = ({ keyring }: Context, id: string, secret: string): Buffer =>
  keyring.seal(secret, purposeOfSecret(id))

/** The trigger as this caller gets it: whoever knows an address may send to it, so only those who may change it see it. */
export function shown(context: Context, caller: Caller, row: TriggerRow): Trigger {
  const maySee = caller.scopes.has('agents:write')
  const token = maySee && row.token ? context.keyring.open(row.token, purposeOfToken(row.id)).toString() : undefined
  const { id, agent_id, user_id, kind, name, enabled, filter, message, dedupe_key, concurrency } = row
  return {
    id,
    agent_id,
    user_id,
    kind,
    name,
    enabled,
    filter,
    message,
    dedupe_key,
    concurrency,
    webhook: kind === 'webhook' ? webhookOf(context, row, token) : null,
    event: kind === 'event' ? { event: row.event!, agent_id: row.event_agent_id } : null,
    poll: kind === 'poll' ? pollOf(row) : null,
    email: kind === 'email' ? { address: token === undefined ? null : addressOfMail(context.config, token) } : null,
    last_delivery_at: row.last_delivery_at,
    created_at: row.created_at,
    updated_at: row.updated_at,
    ...(row.truncated && { truncated: true }),
  }
}

const webhookOf = (context: Context, row: TriggerRow, token: string | undefined) => ({
  url: token === undefined ? null : `${context.baseUrl()}/in/${token}`,
  verifier: row.verifier!,
  header: row.secret_header,
  has_secret: row.has_secret,
})

const pollOf = (row: TriggerRow) => ({
  connection_id: row.connection_id!,
  tool: row.tool!,
  arguments: row.arguments!,
  items: row.items,
  every_minutes: row.every_minutes!,
  start_existing: row.start_existing!,
  next_poll_at: row.next_poll_at,
  last_polled_at: row.last_polled_at,
  last_problem: row.last_problem,
})

export const findTrigger = (sql: Sql, id: string, teamId: string): Promise<TriggerRow[]> => sql<TriggerRow>`
  select ${triggerColumns} from triggers where id = ${id} and team_id = ${teamId}`

export const trigger = resource('trigger', findTrigger)

declare module '../../kit/resources.ts' {
  interface Resources {
    trigger: TriggerRow
  }
}
