// Changes a connection: its name, who may use it, its key or headers, whether it is switched on.
import { empty, one, part, type Part } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { refuseFor } from '../../kit/problems.ts'
import { oneOf, Type, wrapped } from '../../kit/schema.ts'
import { Connection, connectionColumns } from './store/connection.ts'
import { fields, secretOf, secureProblem, type SentSecret } from './store/connectionFields.ts'
import { requireRight } from './store/connectionRight.ts'
import { sealSecret } from './store/secret.ts'
import { endWaits, reauthorized } from './store/connectionState.ts'

export const updateConnection = operation({
  id: 'updateConnection',
  client: 'connections.update',
  route: 'PATCH /v2/connections/:connection_id',
  summary: 'Change a connection',
  description:
    'Only the given fields change. A new key or new headers replace all old ones, and runs that waited for the connection continue. ' +
    'Another `server_url` needs the credential again, so that nobody can have the old one sent elsewhere. For a connection with OAuth ' +
    'only the name, `shared` and `status` can change; the operation that made it authorises it again. Only its maker can change a private ' +
    'connection.',
  scope: 'connections:write',
  body: Type.Object(
    {
      name: Type.Optional(fields.name),
      shared: Type.Optional(fields.shared),
      status: Type.Optional(
        oneOf(['active', 'disabled'], {
          description: 'Disabled: no run can use it, and runs that waited for it get an error.',
        }),
      ),
      server_url: Type.Optional(fields.server_url),
      transport: Type.Optional(fields.transport),
      api_key: Type.Optional(fields.api_key),
      api_key_header: Type.Optional(fields.api_key_header),
      headers: Type.Optional(fields.headers),
    },
    { examples: [{ shared: false, headers: { 'X-Api-Key': 'example-9876543210' } }] },
  ),
  status: 200,
  answer: wrapped('connection', 'connection_id', Connection),
  errors: ['url_not_allowed', 'duplicate_name', 'not_found', 'conflict', 'invalid_request', 'forbidden'],
  emits: ['connection.updated'],
  async prepare({ body, context }) {
    if (body.server_url !== undefined) await context.guard.checkOnSave(body.server_url)
  },
  async handler({ team, caller, connection: { id }, body, sql, context, fail, emit }) {
    const [stored] = await sql<Connection>`
      select ${connectionColumns} from connections c where c.id = ${id} and c.team_id = ${team.id} for no key update`
    if (!stored) return fail('not_found')
    await requireRight(sql, caller.member_id, stored)
    const problems: string[] = []
    const sent = secretOf(body, problems)
    problems.push(...problemsOf(stored, body, sent))
    const serverUrl = body.server_url === undefined ? stored.server_url : new URL(body.server_url).href
    const insecure = sent && serverUrl !== null ? secureProblem(serverUrl) : undefined
    if (insecure !== undefined) problems.push(insecure)
    refuseFor(problems)
    const status = statusAfter(stored, body.status, sent)
    if (body.status === 'active' && stored.status === 'action_required' && status !== 'active') {
      const how = stored.auth_method === 'oauth' ? 'Authorise it again.' : 'Send its new api_key or headers.'
      fail('conflict', `It does not work: ${stored.broken_reason} ${how}`)
    }
    if (body.name !== undefined && body.name !== stored.name) {
      // locked against others who give names in this team
      await sql`select id from teams where id = ${team.id} for no key update`
      const taken = await sql`select 1 from connections where team_id = ${team.id} and name = ${body.name}`
      if (taken.length > 0) fail('duplicate_name', 'This team has a connection of this name. Choose another.')
    }
    const changed = await one(sql<Connection>`
      with c as (
        update connections set name = ${body.name ?? stored.name}, shared = ${body.shared ?? stored.shared}, server_url = ${serverUrl},
          transport = coalesce(${body.transport ?? null}, transport), status = ${status}, updated_at = now(),
          given = given + ${sent || serverUrl !== stored.server_url ? 1 : 0}::int, listing_until = null, list_problem = null
          ${secretColumns(sent, sent && sealSecret(context.keyring, id, sent.secret))}
        where id = ${id} and team_id = ${team.id}
        returning *)
      select ${connectionColumns} from c`)
    if (sent && status === 'active') await reauthorized(sql, changed)
    else {
      const change = changeOf(stored, changed)
      await emit('connection.updated', { connection_id: id, provider: stored.provider, status, change })
    }
    if (status === 'disabled') await endWaits(sql, id)
    return { connection: changed, connection_id: id }
  },
})

type Asked = { server_url?: string; transport?: string; status?: string }

/** Every field that this connection cannot take. */
function problemsOf(stored: Connection, body: Asked, sent: SentSecret | undefined): string[] {
  const problems: string[] = []
  const moves = body.server_url !== undefined && new URL(body.server_url).href !== stored.server_url
  if (stored.auth_method === 'oauth' && (sent || moves)) {
    problems.push(
      'This connection has OAuth: its credential and URL come from the authorization. Create another connection instead.',
    )
  }
  if (moves && stored.has_headers && !sent) {
    problems.push('Another server_url must bring its credential along: send api_key or headers too.')
  }
  if (body.transport !== undefined && stored.type !== 'custom_mcp' && stored.type !== 'mcp') {
    problems.push('transport is for MCP servers alone.')
  }
  return problems
}

/** What was broken before it was switched off is broken still, until it gets another credential. */
function statusAfter(
  stored: Connection,
  asked: 'active' | 'disabled' | undefined,
  sent: SentSecret | undefined,
): Connection['status'] {
  if (asked === 'disabled') return 'disabled'
  if (asked === undefined && stored.status === 'disabled') return 'disabled'
  return stored.broken_at !== null && !sent ? 'action_required' : 'active'
}

/** A new credential works until it is refused. */
const secretColumns = (sent: SentSecret | undefined, sealed: Buffer | undefined): Part =>
  sent && sealed
    ? part`, secret = ${sealed}, auth_method = ${sent.auth_method}, generation = generation + 1, broken_at = null, broken_reason = null`
    : empty

const changeOf = (before: Connection, after: Connection): 'shared' | 'updated' =>
  before.shared !== after.shared && before.name === after.name && before.status === after.status ? 'shared' : 'updated'
