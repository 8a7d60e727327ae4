// What a caller wants of a trigger, checked as a whole: fields of its kind and no others, expressions that can be read, records that exist.
import type { Sql } from '../../base/db.ts'
import { Fault } from '../../base/errors.ts'
import { isId } from '../../base/ids.ts'
import { randomWord } from '../../base/secrets.ts'
import type { Context } from '../../kit/context.ts'
import type { Starter } from '../../kit/offers.ts'
import { scopeOfEvent } from '../../kit/event.ts'
import { connectionUseOf } from '../../kit/registry.ts'
import { refuseFor } from '../../kit/problems.ts'
import { nullable, Type, type Static, type TObject } from '../../kit/schema.ts'
import { problemsOf, readInto, triggerKinds, type TriggerKind } from './judge.ts'
import { takesMail } from './mailAddress.ts'
import { eventFields, fields, pollFields, webhookFields, type TriggerRow } from './trigger.ts'
import { standardKey, usualSecretHeader } from './verify.ts'

export const optionalFields = {
  name: Type.Optional(fields.name),
  enabled: Type.Optional(fields.enabled),
  filter: Type.Optional(fields.filter),
  message: Type.Optional(fields.message),
  dedupe_key: Type.Optional(fields.dedupe_key),
  concurrency: Type.Optional(fields.concurrency),
  webhook: Type.Optional(
    nullable(
      Type.Object({
        verifier: Type.Optional(webhookFields.verifier),
        header: Type.Optional(webhookFields.header),
        secret: Type.Optional(
          nullable(
            Type.String({
              minLength: 8,
              maxLength: 512,
              description: 'What the verifier checks with. It is encrypted and never shown again.',
            }),
          ),
        ),
      }),
    ),
  ),
  event: Type.Optional(
    nullable(Type.Object({ event: Type.Optional(eventFields.event), agent_id: Type.Optional(eventFields.agent_id) })),
  ),
  poll: Type.Optional(
    nullable(
      Type.Object({
        connection_id: Type.Optional(pollFields.connection_id),
        tool: Type.Optional(pollFields.tool),
        arguments: Type.Optional(pollFields.arguments),
        items: Type.Optional(pollFields.items),
        every_minutes: Type.Optional(pollFields.every_minutes),
        start_existing: Type.Optional(pollFields.start_existing),
      }),
    ),
  ),
}

type Given = Static<TObject<typeof optionalFields>>

/** The columns that a caller decides. Sealed values are there only where they are new. */
interface Wanted extends Pick<
  TriggerRow,
  | 'kind'
  | 'name'
  | 'enabled'
  | 'filter'
  | 'message'
  | 'dedupe_key'
  | 'concurrency'
  | 'verifier'
  | 'secret_header'
  | 'event'
  | 'event_agent_id'
  | 'connection_id'
  | 'tool'
  | 'arguments'
  | 'items'
  | 'every_minutes'
  | 'start_existing'
> {
  /** The new secret; null: none any more; undefined: as it is. */
  secret: string | null | undefined
}

const argumentsBytesMax = 16 * 1024
const usualMinutes = 5

interface Asked {
  context: Context
  caller: Starter
  sql: Sql
  teamId: string
  kind: TriggerKind
  given: Given
  /** The trigger as it is; undefined: a new one. */
  stored: TriggerRow | undefined
}

export async function requireWanted(asked: Asked): Promise<Wanted> {
  const { given, stored, kind } = asked
  const problems: string[] = []
  for (const other of triggerKinds) {
    if (other !== kind && other !== 'email' && given[other] !== undefined && given[other] !== null) {
      problems.push(`${other} goes only with kind ${other}.`)
    }
  }
  const wanted: Wanted = {
    kind,
    ...common(given, stored),
    ...webhookOf(asked, problems),
    ...(await eventOf(asked, problems)),
    ...(await pollOf(asked, problems)),
  }
  if (kind === 'email' && !takesMail(asked.context.config)) {
    problems.push(
      'This server takes no mail. Its operator can set RUNYARD_INBOUND_MAIL_PORT and RUNYARD_INBOUND_MAIL_DOMAIN.',
    )
  }
  problems.push(...problemsOf(wanted))
  refuseFor(problems)
  return wanted
}

const pick = <T>(given: T | undefined, stored: T | undefined, usual: T): T =>
  given === undefined ? (stored ?? usual) : given

const common = (given: Given, stored: TriggerRow | undefined) => ({
  name: pick(given.name, stored?.name, null),
  enabled: given.enabled ?? stored?.enabled ?? true,
  filter: pick(given.filter, stored?.filter, null),
  message: pick(given.message, stored?.message, null),
  dedupe_key: pick(given.dedupe_key, stored?.dedupe_key, null),
  concurrency: pick(given.concurrency, stored?.concurrency, null),
})

function webhookOf({ kind, given, stored }: Asked, problems: string[]) {
  const none = { verifier: null, secret_header: null, secret: undefined }
  if (kind !== 'webhook') return none
  const { webhook } = given
  const verifier = webhook?.verifier ?? stored?.verifier ?? 'none'
  const hasChanged = stored !== undefined && verifier !== stored.verifier
  // a secret is for one verifier: with another it is forgotten
  const kept = hasChanged ? null : undefined
  const secret = verifier === 'none' ? null : webhook?.secret === undefined ? kept : webhook.secret
  const isThere = secret !== undefined ? secret !== null : stored?.has_secret === true && !hasChanged
  if (verifier === 'none' && webhook?.secret) problems.push('webhook.secret does not go with verifier none.')
  // while it is paused nothing is taken, so the secret may come later: whoever plans a trigger need not have it
  const isOn = given.enabled ?? stored?.enabled ?? true
  if (verifier !== 'none' && !isThere && isOn) {
    problems.push(
      `webhook.secret is missing: verifier ${verifier} needs it. Without it the trigger can only be paused.`,
    )
  }
  if (verifier === 'standard_webhooks' && secret && standardKey(secret) === undefined) {
    problems.push(
      'webhook.secret must be the base64 text that Standard Webhooks has, with or without whsec_ before it.',
    )
  }
  if (verifier !== 'secret' && webhook?.header) problems.push('webhook.header goes only with verifier secret.')
  const header = verifier === 'secret' ? pick(webhook?.header, stored?.secret_header, null) : null
  return { verifier, secret_header: header === usualSecretHeader ? null : header, secret }
}

async function eventOf({ kind, given, stored, caller, sql, teamId }: Asked, problems: string[]) {
  if (kind !== 'event') return { event: null, event_agent_id: null }
  const event = given.event?.event ?? stored?.event ?? null
  const agentId = pick(given.event?.agent_id, stored?.event_agent_id, null)
  if (event === null) problems.push('event.event is missing: kind event needs it.')
  else if (!caller.scopes.has(scopeOfEvent(event))) {
    throw new Fault(
      'insufficient_scope',
      `The event ${event} is for credentials with the scope ${scopeOfEvent(event)}.`,
    )
  }
  if (typeof given.event?.agent_id === 'string') {
    const found = isId(given.event.agent_id)
      ? await sql`select 1 from agents where id = ${given.event.agent_id} and team_id = ${teamId} and not is_hidden and deleted_at is null`
      : []
    if (found.length === 0) throw new Fault('not_found', 'This team has no agent with the id in event.agent_id.')
  }
  return { event, event_agent_id: agentId }
}

async function pollOf(asked: Asked, problems: string[]) {
  const {
    kind,
    given: { poll },
    stored,
  } = asked
  const none = {
    connection_id: null,
    tool: null,
    arguments: null,
    items: null,
    every_minutes: null,
    start_existing: null,
  }
  if (kind !== 'poll') return none
  const connectionId = poll?.connection_id ?? stored?.connection_id ?? null
  const tool = poll?.tool ?? stored?.tool ?? null
  const items = pick(poll?.items, stored?.items, null)
  const args = poll?.arguments ?? stored?.arguments ?? {}
  if (connectionId === null) problems.push('poll.connection_id is missing: kind poll needs it.')
  if (tool === null) problems.push('poll.tool is missing: kind poll needs it.')
  if (JSON.stringify(args).length > argumentsBytesMax) problems.push('poll.arguments is larger than 16 KiB.')
  if (items !== null) readInto(problems, 'poll.items', items, pollResultRoots)
  if (connectionId !== null) await requireConnection(asked, connectionId)
  return {
    connection_id: connectionId,
    tool,
    arguments: args,
    items,
    every_minutes: poll?.every_minutes ?? stored?.every_minutes ?? usualMinutes,
    start_existing: poll?.start_existing ?? stored?.start_existing ?? false,
  }
}

/** What the expression for the items of a poll reads. */
export const pollResultRoots = { result: { says: 'The answer of the tool.' } } as const

/** A poll acts for whoever changed its trigger last. */
async function requireConnection({ context, sql, caller, teamId }: Asked, connectionId: string): Promise<void> {
  const use = connectionUseOf(context)
  const isUsable = isId(connectionId) && (await use?.mayCall({ sql, teamId, memberId: caller.member_id, connectionId }))
  if (!isUsable) {
    throw new Fault(
      'not_found',
      'No MCP connection that you may use has the id in poll.connection_id. List the connections and use one of them.',
    )
  }
}

/** More than 200 bits. In lower case, because some mail systems change the case of an address. */
export const newToken = (): string => randomWord(48).toLowerCase()
