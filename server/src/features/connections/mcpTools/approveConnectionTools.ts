// Approves tools of a connection as its server lists them now.
import { operation } from '../../../kit/operation.ts'
import { Type } from '../../../kit/schema.ts'
import { ConnectionTool, readTools } from './connectionTool.ts'
import { requireRight } from '../store/connectionRight.ts'

const hash = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'As listConnectionTools gives it: what you have read is what you approve.',
})

export const approveConnectionTools = operation({
  id: 'approveConnectionTools',
  client: 'connections.approveTools',
  route: 'POST /v2/connections/:connection_id/tools/approve',
  summary: 'Approve tools of a connection',
  description:
    'From then on agents are shown these tools as they are now, and call them without asking. All are approved or none: a tool that has ' +
    'changed since it was read is a conflict.',
  scope: 'connections:write',
  body: Type.Object(
    {
      tools: Type.Array(Type.Object({ name: Type.String({ minLength: 1, maxLength: 1000 }), hash }), {
        minItems: 1,
        maxItems: 500,
      }),
    },
    { examples: [{ tools: [{ name: 'search_invoices', hash: 'a'.repeat(64) }] }] },
  ),
  status: 200,
  answer: Type.Object({ tools: Type.Array(ConnectionTool) }),
  errors: ['conflict', 'forbidden'],
  async handler({ caller, connection, body, sql, fail }) {
    await requireRight(sql, caller.member_id, connection)
    const wanted = [...new Map(body.tools.map((tool) => [tool.name, tool])).values()]
    // whoever writes tools locks their connection first
    await sql`
      select from connections where id = ${connection.id} and team_id = ${connection.team_id} for no key update`
    const approved = await sql<{ name: string }>`
      update connection_tools t set approved = t.listed, approved_hash = t.listed_hash
      from json_to_recordset(${JSON.stringify(wanted)}::json) as n (name text, hash text)
      where t.connection_id = ${connection.id} and t.name = n.name and t.listed_hash = n.hash and not t.is_gone
      returning t.name`
    const names = new Set(approved.map(({ name }) => name))
    const other = wanted.find(({ name }) => !names.has(name))
    if (other)
      fail('conflict', `The tool ${other.name.slice(0, 200)} is not listed so (any more). Read the list again.`)
    return { tools: await readTools(sql, connection) }
  },
})
