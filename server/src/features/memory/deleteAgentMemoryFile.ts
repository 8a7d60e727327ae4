// Deletes a memory file of an agent.
import { one } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { Success, Type } from '../../kit/schema.ts'
import { changeMemory } from './changeMemory.ts'
import { expectedGeneration, noSuchFile } from './memoryFile.ts'
import { memoryPath } from './memoryPath.ts'

export const deleteAgentMemoryFile = operation({
  id: 'deleteAgentMemoryFile',
  client: 'memory.delete',
  route: 'DELETE /v2/agents/:agent_id/memory/files/:path*',
  summary: 'Delete a memory file',
  scope: 'agents:write',
  body: Type.Object({
    expected_generation: Type.Optional(
      expectedGeneration('Delete only if the file still has this generation, as it was read.', 1),
    ),
  }),
  status: 200,
  answer: Success,
  errors: ['conflict', 'invalid_request', 'not_found'],
  async handler({ team, agent, params, body, sql, fail }) {
    const checked = memoryPath(params.path)
    if ('problem' in checked) return fail('not_found', noSuchFile)
    const changed = await one(
      changeMemory(sql, [
        { ...body, kind: 'delete', team_id: team.id, agent_id: agent.id, path: checked.path, source_run_id: null },
      ]),
    )
    if ('refused' in changed) {
      return changed.refused === 'not_found' ? fail('not_found', noSuchFile) : fail(changed.refused, changed.message)
    }
    return { success: true as const }
  },
})
