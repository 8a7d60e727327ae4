// Writes a memory file of an agent, new or over the old one.
import { one } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { Type } from '../../kit/schema.ts'
import { changeMemory } from './changeMemory.ts'
import { contentBytesMax, expectedGeneration, MemoryFile } from './memoryFile.ts'
import { memoryPath } from './memoryPath.ts'
import { storageProblem } from '../../engine/engine.ts'

export const putAgentMemoryFile = operation({
  id: 'putAgentMemoryFile',
  client: 'memory.put',
  route: 'PUT /v2/agents/:agent_id/memory/files/:path*',
  summary: 'Write a memory file',
  description:
    'Makes the file or replaces its content, and raises its generation by one. Generations of a path never repeat, even after the file ' +
    'was deleted, so an old `expected_generation` never fits a new file. A file has at most 256 KiB, an agent at most 1000 files and 16 ' +
    'MiB.',
  scope: 'agents:write',
  body: Type.Object({
    content: Type.String({ maxLength: contentBytesMax, examples: ['The night shift starts at ten.'] }),
    expected_generation: Type.Optional(
      expectedGeneration(
        'Write only if the file still has this generation, as it was read; 0: only if there is none.',
        0,
      ),
    ),
  }),
  status: 200,
  answer: MemoryFile,
  errors: ['conflict', 'invalid_request', 'not_found', 'entitlement_exceeded'],
  async handler({ team, agent, params, body, context, sql, fail }) {
    const checked = memoryPath(params.path)
    if ('problem' in checked) return fail('invalid_request', checked.problem)
    const problem = await storageProblem(context, sql, team.id, Buffer.byteLength(body.content))
    if (problem !== undefined) return fail('entitlement_exceeded', problem)
    const changed = await one(
      changeMemory(sql, [
        { ...body, kind: 'write', team_id: team.id, agent_id: agent.id, path: checked.path, source_run_id: null },
      ]),
    )
    if ('refused' in changed) return fail(changed.refused, changed.message)
    const { path, generation, updated_at } = changed
    return { path, content: body.content, generation, source_type: 'user' as const, source_run_id: null, updated_at }
  },
})
