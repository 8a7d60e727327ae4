// Calls an MCP server once, before a connection is made: which tools it has, or why it cannot be used.
import { McpUnauthorized, openMcp, type ListedTool } from '../../../drivers/mcp/mcp.ts'
import type { Context } from '../../../kit/context.ts'
import { operation } from '../../../kit/operation.ts'
import { alongside, refuseFor } from '../../../kit/problems.ts'
import { nullable, oneOf, Type } from '../../../kit/schema.ts'
import { transports } from '../store/connection.ts'
import { fields, secretOf, secureProblem } from '../store/connectionFields.ts'
import { doorOf, troubleWith } from '../store/outsideErrors.ts'

type Probed =
  | {
      success: true
      transport: 'http' | 'sse'
      tools: Pick<ListedTool, 'name' | 'title' | 'description' | 'input_schema'>[]
    }
  | { success: false; error: string }

export const probeMcpServer = operation({
  id: 'probeMcpServer',
  client: 'connections.probeMcpServer',
  route: 'POST /v2/teams/:teamId/connections/mcp/probe',
  summary: 'Try an MCP server',
  description:
    'Lists the tools of a server with the key or headers that are given, as createConnection takes them. Nothing is stored. A server that ' +
    'cannot be used is not an error of the request: `success` is false and `error` says why.',
  scope: 'connections:write',
  body: Type.Object(
    {
      server_url: fields.server_url,
      transport: Type.Optional(fields.transport),
      api_key: Type.Optional(fields.api_key),
      api_key_header: Type.Optional(fields.api_key_header),
      headers: Type.Optional(fields.headers),
    },
    { examples: [{ server_url: 'https://mcp.example.com/mcp' }] },
  ),
  status: 200,
  answer: Type.Object({
    success: Type.Boolean(),
    transport: Type.Optional(oneOf(transports)),
    tools: Type.Optional(
      Type.Array(
        Type.Object({
          name: Type.String(),
          title: nullable(Type.String()),
          description: nullable(Type.String()),
          input_schema: Type.Object({}, { additionalProperties: true }),
        }),
      ),
    ),
    error: Type.Optional(Type.String()),
  }),
  errors: ['url_not_allowed', 'invalid_request'],
  async prepare({ body, context }) {
    const problems: string[] = []
    const sent = secretOf(body, problems)
    await alongside(problems, () => context.guard.checkOnSave(body.server_url))
    const insecure = sent && URL.canParse(body.server_url) ? secureProblem(body.server_url) : undefined
    if (insecure !== undefined) problems.push(insecure)
    refuseFor(problems)
    return probe(context, body.server_url, body.transport ?? null, sent?.secret.headers ?? {})
  },
  handler: async ({ prepared }) => prepared,
})

async function probe(
  context: Context,
  url: string,
  transport: 'http' | 'sse' | null,
  headers: Record<string, string>,
): Promise<Probed> {
  try {
    const session = await openMcp({ url, transport, headers }, doorOf(context))
    try {
      const listed = await session.listTools()
      const tools = listed.map(({ name, title, description, input_schema }) => ({
        name,
        title,
        description,
        input_schema,
      }))
      return { success: true, transport: session.transport, tools }
    } finally {
      await session.close()
    }
  } catch (error) {
    const trouble = troubleWith(new URL(url).host, error)
    if (trouble === undefined) throw error
    const isOpen = Object.keys(headers).length === 0
    const wantsMore = error instanceof McpUnauthorized && isOpen
    return {
      success: false,
      error: wantsMore ? `${trouble} Try it with a key, or see checkMcpOAuth for OAuth.` : trouble,
    }
  }
}
