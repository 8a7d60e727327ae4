// The tool set `operations`: what a team's own agents and pages can read of its figures.
import type { ToolSet } from '../../kit/feature.ts'
import { operationsAgents } from './agents.ts'
import { operationsDeliveries } from './deliveries.ts'
import { operationsEvaluations } from './evaluations.ts'
import { operationsQueues } from './queues.ts'
import { operationsRuns } from './runs.ts'
import { operationsUsage } from './usage.ts'

export const operationsTools: ToolSet = {
  name: 'operations',
  title: 'Operations',
  description:
    'This team’s own figures, read only: runs, agents, queues, usage, evaluations and deliveries, as rows for charts and tables.',
  tools: [
    operationsRuns,
    operationsAgents,
    operationsQueues,
    operationsUsage,
    operationsEvaluations,
    operationsDeliveries,
  ],
  provider: null,
}
