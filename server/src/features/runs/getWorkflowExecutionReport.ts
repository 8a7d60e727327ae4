// Reads the execution report of one run of an agent.
import { operation } from '../../kit/operation.ts'
import { Id, Type } from '../../kit/schema.ts'
import { Report, reportOf } from './report.ts'
import { RunStatus } from './run.ts'

export const getWorkflowExecutionReport = operation({
  id: 'getWorkflowExecutionReport',
  client: 'runs.report',
  route: 'GET /v2/agent/:agentId/runs/:runId/workflow-execution-report',
  summary: 'Get the execution report of a run',
  description:
    'What the run did, step by step, how long each step took, and how the run ended. Also for a run that is still active.',
  scope: 'runs:read',
  status: 200,
  answer: Type.Object({ report: Report, run_id: Id, status: RunStatus }),
  handler: async ({ run, sql }) => ({ report: await reportOf(sql, run), run_id: run.id, status: run.status }),
})
