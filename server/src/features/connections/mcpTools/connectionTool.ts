// A tool of a connection on the wire: what its server says of it now, and what a person approved.
import { zip } from '../../../base/zip.ts'
import type { Sql } from '../../../base/db.ts'
import { named, nullable, oneOf, Type, type Static } from '../../../kit/schema.ts'
import type { Connection } from '../store/connection.ts'
import { statusOf, type PinnedTool } from './approvedTool.ts'
import { toolNames, type ForeignTool } from './toolNames.ts'

const schema = Type.Record(Type.String(), Type.Unknown())

export const ConnectionTool = named(
  'ConnectionTool',
  Type.Object({
    name: Type.String({ examples: ['search_invoices'] }),
    tool_name: Type.String({
      description: 'What agents and procedures call it, unless another connection of the build takes the same name.',
      examples: ['our_crm__search_invoices'],
    }),
    title: nullable(Type.String()),
    status: oneOf(['approved', 'changed', 'new', 'gone']),
    hash: Type.String({
      description: 'Of name, description, schema and annotations as listed now; give it to approve just this.',
    }),
    description: nullable(Type.String({ description: 'As its server lists it now.' })),
    input_schema: schema,
    annotations: nullable(schema),
    approved_description: nullable(Type.String({ description: 'What agents are shown.' })),
    approved_input_schema: nullable(schema),
  }),
)

export type ConnectionTool = Static<typeof ConnectionTool>

/** In the order of the server's list; those that it no longer lists stand last. */
export async function readTools(
  sql: Sql,
  { id, team_id }: Pick<Connection, 'id' | 'team_id'>,
): Promise<ConnectionTool[]> {
  const rows = await sql<PinnedTool & ForeignTool>`
    select t.connection_id, c.name as connection_name, c.tools_prefix, t.name, t.listed, t.listed_hash, t.approved, t.approved_hash, t.is_gone
    from connection_tools t join connections c on c.id = t.connection_id
    where t.connection_id = ${id} and c.team_id = ${team_id} order by t.is_gone, t.position, t.name`
  return zip(rows, toolNames(rows)).map(([tool, toolName]) => ({
    name: tool.name,
    tool_name: toolName,
    title: tool.listed.title,
    status: statusOf(tool),
    hash: tool.listed_hash,
    description: tool.listed.description,
    input_schema: tool.listed.input_schema,
    annotations: tool.listed.annotations,
    approved_description: tool.approved?.description ?? null,
    approved_input_schema: tool.approved?.input_schema ?? null,
  }))
}
