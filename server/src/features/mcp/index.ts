// The hosted MCP endpoint.
import { feature } from '../../kit/feature.ts'
import { callMcp } from './callMcp.ts'
import { toolCatalogOf } from './toolCatalog.ts'

export const mcp = feature({
  name: 'mcp',
  about: 'The operations of this service as tools of the Model Context Protocol.',
  operations: [callMcp],
  // an operation that cannot be a tool is a mistake found at start
  routes: (_app, context) => void toolCatalogOf(context),
})
