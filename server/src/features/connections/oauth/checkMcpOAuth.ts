// Checks whether an MCP server wants OAuth, and how; stores nothing.
import { discover, type Discovered } from '../../../drivers/oauth/discover.ts'
import { operation } from '../../../kit/operation.ts'
import { nullable, Type, url } from '../../../kit/schema.ts'
import { doorOf, troubleWith } from '../store/outsideErrors.ts'

export const McpServerUrl = url('The endpoint of the MCP server.', ['https://mcp.example.com/mcp'])

const none: Discovered = { resource: null, scopes: [], server: null }

export const checkMcpOAuth = operation({
  id: 'checkMcpOAuth',
  client: 'connections.checkMcpOAuth',
  route: 'POST /v2/connections/oauth/mcp/check',
  summary: 'Check whether an MCP server supports OAuth',
  description:
    'Asks the server and its authorization server for their metadata (RFC 9728, RFC 8414, OpenID discovery). Nothing is registered, ' +
    'authorised or stored. If the server cannot be asked, the answer says that it does not support OAuth, and `error` says why.',
  scope: 'connections:write',
  body: Type.Object({ mcp_server_url: McpServerUrl }),
  status: 200,
  answer: Type.Object({
    supports_oauth: Type.Boolean(),
    supports_dcr: Type.Boolean({ description: 'Whether clients can register themselves (RFC 7591).' }),
    authorization_endpoint: nullable(Type.String()),
    token_endpoint: nullable(Type.String()),
    registration_endpoint: nullable(Type.String()),
    scopes: Type.Array(Type.String(), { description: 'What authorizeMcpOAuth would ask for.' }),
    resource: nullable(Type.String({ description: 'The resource that tokens are issued for (RFC 8707).' })),
    error: nullable(Type.String({ description: 'Why the server could not be asked.' })),
  }),
  errors: ['url_not_allowed'],
  async prepare({ body, context }) {
    const { host } = await context.guard.checkOnSave(body.mcp_server_url)
    try {
      return { found: await discover(body.mcp_server_url, doorOf(context)), error: null }
    } catch (error) {
      const trouble = troubleWith(host, error)
      if (trouble === undefined) throw error
      return { found: none, error: trouble }
    }
  },
  async handler({ prepared: { found, error } }) {
    const { server, scopes, resource } = found
    return {
      supports_oauth: server !== null,
      supports_dcr: server !== null && server.registration_endpoint !== null,
      authorization_endpoint: server?.authorization_endpoint ?? null,
      token_endpoint: server?.token_endpoint ?? null,
      registration_endpoint: server?.registration_endpoint ?? null,
      scopes,
      resource,
      error,
    }
  },
})
