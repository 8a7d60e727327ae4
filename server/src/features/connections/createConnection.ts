// Makes a connection that needs no OAuth: an MCP server or an API with a key, with headers or with nothing.
import { operation } from '../../kit/operation.ts'
import { alongside, refuseFor } from '../../kit/problems.ts'
import { oneOf, Type, wrapped } from '../../kit/schema.ts'
import { Connection } from './store/connection.ts'
import { fields, secretOf, secureProblem } from './store/connectionFields.ts'
import { insertConnection } from './store/newConnection.ts'

export const createConnection = operation({
  id: 'createConnection',
  client: 'connections.create',
  route: 'POST /v2/teams/:teamId/connections',
  summary: 'Make a connection',
  description:
    'For MCP servers (`custom_mcp`) and HTTP APIs (`api`) that take a key or headers. What needs OAuth begins with startNativeOAuth or ' +
    'authorizeMcpOAuth. Nothing is called yet: testConnection does that.',
  scope: 'connections:write',
  body: Type.Object(
    {
      name: fields.name,
      type: Type.Optional(
        oneOf(['custom_mcp', 'api'], { default: 'custom_mcp', description: 'An MCP server, unless it is an `api`.' }),
      ),
      server_url: fields.server_url,
      provider: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 100,
          pattern: '^[!-~]+$',
          description: 'Your own word for the kind of service. Absent: the host.',
        }),
      ),
      transport: Type.Optional(fields.transport),
      api_key: Type.Optional(fields.api_key),
      api_key_header: Type.Optional(fields.api_key_header),
      headers: Type.Optional(fields.headers),
      shared: Type.Optional(fields.shared),
    },
    {
      examples: [
        {
          name: 'Our CRM',
          type: 'custom_mcp',
          server_url: 'https://8.8.8.8/mcp',
          headers: { 'X-Api-Key': 'example-0123456789' },
        },
      ],
    },
  ),
  status: 201,
  answer: wrapped('connection', 'connection_id', Connection),
  errors: ['url_not_allowed', 'duplicate_name', 'conflict', 'invalid_request'],
  emits: ['connection.updated'],
  async prepare({ body, context }) {
    const problems: string[] = []
    const sent = secretOf(body, problems)
    if (body.type === 'api' && body.transport !== undefined) problems.push('transport is for MCP servers alone.')
    await alongside(problems, () => context.guard.checkOnSave(body.server_url))
    const insecure = sent && URL.canParse(body.server_url) ? secureProblem(body.server_url) : undefined
    if (insecure !== undefined) problems.push(insecure)
    refuseFor(problems)
    return sent
  },
  async handler({ team, caller, body, prepared: sent, sql, context, fail }) {
    const { host, href } = new URL(body.server_url)
    const made = await insertConnection(sql, context, team.id, {
      name: body.name,
      type: body.type ?? 'custom_mcp',
      provider: body.provider ?? host,
      server_url: href,
      transport: body.transport ?? null,
      auth_method: sent?.auth_method ?? 'none',
      user_id: caller.member_id,
      scopes: null,
      secret: sent?.secret ?? null,
      ...(body.shared !== undefined && { shared: body.shared }),
    })
    if (!made) return fail('duplicate_name', 'This team has a connection of this name. Choose another.')
    return { connection: made, connection_id: made.id }
  },
})
