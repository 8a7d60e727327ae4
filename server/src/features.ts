// The service on one page: every feature there is.
import { feature, type Feature } from './kit/feature.ts'
import { sealedReply } from './kit/idempotency.ts'
import { addPartitions } from './kit/addPartitions.job.ts'
import { sweepAudit } from './kit/sweepAudit.job.ts'
import { sweepJobDeaths } from './kit/sweepJobDeaths.job.ts'
import { sweepRequests } from './kit/sweepRequests.job.ts'
import { agents } from './features/agents/index.ts'
import { alerts } from './features/alerts/index.ts'
import { artifacts } from './features/artifacts/index.ts'
import { auditLog } from './features/auditLog/index.ts'
import { billing } from './features/billing/index.ts'
import { browser } from './features/browser/index.ts'
import { connections } from './features/connections/index.ts'
import { webConsole } from './features/console/index.ts'
import { credentials } from './features/credentials/index.ts'
import { docs } from './features/docs/index.ts'
import { evaluations } from './features/evaluations/index.ts'
import { evidence } from './features/evidence/index.ts'
import { guardrails } from './features/guardrails/index.ts'
import { health } from './features/health/index.ts'
import { mcp } from './features/mcp/index.ts'
import { memory } from './features/memory/index.ts'
import { humanRequests } from './features/humanRequests/index.ts'
import { models } from './features/models/index.ts'
import { notifications } from './features/notifications/index.ts'
import { operations } from './features/operations/index.ts'
import { runs } from './features/runs/index.ts'
import { replays } from './features/replays/index.ts'
import { plugins } from './features/plugins/index.ts'
import { queues } from './features/queues/index.ts'
import { secrets } from './features/secrets/index.ts'
import { sandboxes } from './features/sandboxes/index.ts'
import { schedules } from './features/schedules/index.ts'
import { signIn } from './features/signIn/index.ts'
import { skills } from './features/skills/index.ts'
import { system } from './features/system/index.ts'
import { teamFiles } from './features/teamFiles/index.ts'
import { teams } from './features/teams/index.ts'
import { triggers } from './features/triggers/index.ts'
import { views } from './features/views/index.ts'
import { webhooks } from './features/webhooks/index.ts'

/** The kit's own jobs. */
const housekeeping = feature({
  name: 'housekeeping',
  jobs: [sweepRequests, sweepAudit, sweepJobDeaths, addPartitions],
  sealed: [sealedReply],
})

export const features: Feature[] = [
  teams,
  credentials,
  signIn,
  auditLog,
  agents,
  // before runs: a deleted agent's schedules and triggers are locked before its runs, as firing locks them
  schedules,
  triggers,
  memory,
  sandboxes,
  browser,
  runs,
  humanRequests,
  // after runs: a deleted agent's runs are locked before its trigger
  queues,
  connections,
  secrets,
  teamFiles,
  skills,
  models,
  guardrails,
  billing,
  evaluations,
  evidence,
  replays,
  operations,
  artifacts,
  views,
  system,
  webhooks,
  alerts,
  notifications,
  plugins,
  mcp,
  health,
  docs,
  webConsole,
  housekeeping,
]
