// Reads one memory file of an agent.
import { operation } from '../../kit/operation.ts'
import { MemoryFile, memoryFileColumns, noSuchFile } from './memoryFile.ts'
import { memoryPath } from './memoryPath.ts'

export const getAgentMemoryFile = operation({
  id: 'getAgentMemoryFile',
  client: 'memory.get',
  route: 'GET /v2/agents/:agent_id/memory/files/:path*',
  summary: 'Read a memory file',
  scope: 'agents:read',
  status: 200,
  answer: MemoryFile,
  errors: ['not_found'],
  async handler({ team, agent, params, sql, fail }) {
    const checked = memoryPath(params.path)
    if ('problem' in checked) return fail('not_found', noSuchFile)
    const [file] = await sql<MemoryFile>`
      select ${memoryFileColumns} from memory_files
      where agent_id = ${agent.id} and team_id = ${team.id} and path = ${checked.path}`
    return file ?? fail('not_found', noSuchFile)
  },
})
