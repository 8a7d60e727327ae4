// What agents remember: files that outlive their runs.
import { feature } from '../../kit/feature.ts'
import { deleteAgentMemoryFile } from './deleteAgentMemoryFile.ts'
import { forgetMemory } from './forgetMemory.ts'
import { getAgentMemoryFile } from './getAgentMemoryFile.ts'
import { listAgentMemoryFiles } from './listAgentMemoryFiles.ts'
import { putAgentMemoryFile } from './putAgentMemoryFile.ts'
import { memoryTools } from './tools.ts'

export const memory = feature({
  name: 'memory',
  about: 'What agents remember: files that outlive their runs.',
  operations: [listAgentMemoryFiles, getAgentMemoryFile, putAgentMemoryFile, deleteAgentMemoryFile],
  toolSets: [memoryTools],
  hooks: { agentDeleted: forgetMemory },
})
