// Agents and their builds: what runs are started of, and the versions of it.
import { feature } from '../../kit/feature.ts'
import { agent } from './agent.ts'
import { build } from './build.ts'
import { createAgent } from './createAgent.ts'
import { createRevision } from './createRevision.ts'
import { deleteAgent } from './deleteAgent.ts'
import { diffRevisions } from './diffRevisions.ts'
import { getAgent } from './getAgent.ts'
import { getRevision } from './getRevision.ts'
import { listAgentRevisions } from './listAgentRevisions.ts'
import { listAgents } from './listAgents.ts'
import { promoteRevision } from './promoteRevision.ts'
import { updateAgent } from './updateAgent.ts'
import { updateRevision } from './updateRevision.ts'

export const agents = feature({
  name: 'agents',
  about: 'Agents, and the builds (revisions) that say what they do; one of them is live.',
  operations: [
    listAgents,
    createAgent,
    getAgent,
    updateAgent,
    deleteAgent,
    listAgentRevisions,
    createRevision,
    getRevision,
    diffRevisions,
    updateRevision,
    promoteRevision,
  ],
  resources: [agent, build],
})
