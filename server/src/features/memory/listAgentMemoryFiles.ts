// Lists an agent's memory files.
import { operation } from '../../kit/operation.ts'
import { Type } from '../../kit/schema.ts'
import { ListedMemoryFile } from './memoryFile.ts'

export const listAgentMemoryFiles = operation({
  id: 'listAgentMemoryFiles',
  client: 'memory.list',
  route: 'GET /v2/agents/:agent_id/memory/files',
  summary: 'List the memory files of an agent',
  description: 'All files, by path; an agent has at most 1000.',
  scope: 'agents:read',
  status: 200,
  answer: Type.Object({ files: Type.Array(ListedMemoryFile) }),
  async handler({ team, agent, sql }) {
    const files = await sql<ListedMemoryFile>`
      select substring(path from '[^/]+$') as name, path, size_bytes, generation, source_type, source_run_id, updated_at
      from memory_files where agent_id = ${agent.id} and team_id = ${team.id} order by path`
    return { files }
  },
})
