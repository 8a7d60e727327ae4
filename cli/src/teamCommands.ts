// The commands for agents as files, guardrails, replays, suggestions, cases, alerts, events, deliveries, sandboxes and evidence of a team.
import { agentsDiff, agentsList, agentsPromote, agentsPull, agentsPush } from './agents/commands.ts'
import { agentsPause, agentsResume } from './agents/pause.ts'
import {
  alertsAcknowledge,
  alertsAdd,
  alertsChange,
  alertsList,
  alertsRemove,
  alertsRules,
  alertsShow,
} from './alerts/commands.ts'
import { casesImport } from './cases/import.ts'
import type { Command } from './command.ts'
import { deliveriesList } from './deliveries/list.ts'
import { deliveriesResend } from './deliveries/resend.ts'
import { deliveriesShow } from './deliveries/show.ts'
import { trigger } from './deliveries/trigger.ts'
import { evidenceGet } from './evidence/get.ts'
import { evidenceVerify } from './evidence/verify.ts'
import {
  guardrailsDryRun,
  guardrailsHistory,
  guardrailsRollback,
  guardrailsSet,
  guardrailsShow,
} from './guardrails/commands.ts'
import { listen } from './listen/listen.ts'
import { queuesList } from './queues/list.ts'
import { replayRecord } from './replay/record.ts'
import { replayShow } from './replay/show.ts'
import { replayStart } from './replay/start.ts'
import { sandboxCopy } from './sandbox/copy.ts'
import { sandboxCreate } from './sandbox/create.ts'
import { sandboxExec } from './sandbox/exec.ts'
import { sandboxList } from './sandbox/list.ts'
import { suggestionAccept } from './suggestion/accept.ts'
import { suggestionList } from './suggestion/list.ts'
import { suggestionReject } from './suggestion/reject.ts'
import { suggestionSettings } from './suggestion/settings.ts'
import { suggestionShow } from './suggestion/show.ts'

export const teamCommands: Command[] = [
  agentsList,
  agentsPull,
  agentsPush,
  agentsDiff,
  agentsPromote,
  guardrailsShow,
  guardrailsSet,
  guardrailsDryRun,
  guardrailsHistory,
  guardrailsRollback,
  agentsPause,
  agentsResume,
  alertsList,
  alertsShow,
  alertsAcknowledge,
  alertsRules,
  alertsAdd,
  alertsChange,
  alertsRemove,
  replayStart,
  replayRecord,
  replayShow,
  suggestionList,
  suggestionShow,
  suggestionAccept,
  suggestionReject,
  suggestionSettings,
  queuesList,
  casesImport,
  listen,
  trigger,
  deliveriesList,
  deliveriesShow,
  deliveriesResend,
  sandboxCreate,
  sandboxList,
  sandboxCopy,
  sandboxExec,
  evidenceGet,
  evidenceVerify,
]
