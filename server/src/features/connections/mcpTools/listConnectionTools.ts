// Lists the tools of an MCP connection, as its server lists them and as a person approved them.
import { operation } from '../../../kit/operation.ts'
import { Type } from '../../../kit/schema.ts'
import { ConnectionTool, readTools } from './connectionTool.ts'

export const listConnectionTools = operation({
  id: 'listConnectionTools',
  client: 'connections.listTools',
  route: 'GET /v2/connections/:connection_id/tools',
  summary: 'List the tools of a connection',
  description:
    'Agents are shown a tool as it was approved. The tools that are listed first after a person made or authorised the connection count as ' +
    'approved; one that its server changed or added later requires approval for every call until approveConnectionTools approves it.',
  scope: 'connections:read',
  status: 200,
  answer: Type.Object({ tools: Type.Array(ConnectionTool) }),
  handler: async ({ connection, sql }) => ({ tools: await readTools(sql, connection) }),
})
