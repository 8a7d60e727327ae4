// Reads a dry run of guardrails, with its report once it is done.
import { operation } from '../../kit/operation.ts'
import { wrapped } from '../../kit/schema.ts'
import { GuardrailDryRun } from './dryRun.ts'

export const getGuardrailDryRun = operation({
  id: 'getGuardrailDryRun',
  client: 'guardrails.getDryRun',
  route: 'GET /v2/teams/:teamId/guardrails/dry-runs/:dry_run_id',
  summary: 'Get a dry run of guardrails',
  description: 'Its report is there when its status is `done`. Dry runs are kept for 30 days.',
  scope: 'runs:read',
  status: 200,
  answer: wrapped('dry_run', 'dry_run_id', GuardrailDryRun),
  handler: async ({ dry_run }) => ({ dry_run, dry_run_id: dry_run.id }),
})
