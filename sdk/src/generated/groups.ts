// Written by `npm run openapi` from the declarations of the operations. Do not edit.

import { Group } from '../group.ts'

import { withoutKey, type Call, type CallOptions } from '../call.ts'

import type { FileAnswer } from '../files.ts'

import type { List } from '../list.ts'

import type {
  AcceptRevisionAnswer,
  AcceptRevisionInput,
  AcceptSuggestionAnswer,
  AcceptSuggestionInput,
  AcknowledgeAlertIncidentAnswer,
  AcknowledgeAlertIncidentInput,
  AddRecordingsAnswer,
  AddRecordingsInput,
  AnswerArtifactAnswer,
  AnswerArtifactInput,
  ApproveConnectionToolsAnswer,
  ApproveConnectionToolsInput,
  AssignCaseAnswer,
  AssignCaseInput,
  AssignHumanRequestAnswer,
  AssignHumanRequestInput,
  AttachArtifactConnectionAnswer,
  AttachArtifactConnectionInput,
  AuthorizeMcpOAuthAnswer,
  AuthorizeMcpOAuthInput,
  BulkDeleteCasesAnswer,
  BulkDeleteCasesInput,
  BulkReprocessCasesAnswer,
  BulkReprocessCasesInput,
  BulkUpdateCasePriorityAnswer,
  BulkUpdateCasePriorityInput,
  BulkUpdateCaseStatusAnswer,
  BulkUpdateCaseStatusInput,
  CancelHumanRequestAnswer,
  CancelReplayAnswer,
  CheckMcpOAuthAnswer,
  CheckMcpOAuthInput,
  CheckProcedureAnswer,
  CheckProcedureInput,
  ClaimCaseAnswer,
  ClearQueueCasesAnswer,
  CompleteCaseAnswer,
  CompleteCaseInput,
  ConfirmEmailAnswer,
  ConfirmEmailInput,
  CreateAgentAnswer,
  CreateAgentCaseTriggerAnswer,
  CreateAgentCaseTriggerInput,
  CreateAgentInput,
  CreateAgentTriggerAnswer,
  CreateAgentTriggerInput,
  CreateAlertRuleAnswer,
  CreateAlertRuleInput,
  CreateApiKeyAnswer,
  CreateApiKeyInput,
  CreateArtifactAnswer,
  CreateArtifactInput,
  CreateCasesAnswer,
  CreateCasesInput,
  CreateConnectionAnswer,
  CreateConnectionInput,
  CreateEvalRubricAnswer,
  CreateEvalRubricInput,
  CreateLabelAnswer,
  CreateLabelInput,
  CreateLoginAnswer,
  CreateLoginInput,
  CreateMemberAnswer,
  CreateMemberInput,
  CreateModelKeyAnswer,
  CreateModelKeyInput,
  CreateOauthClientAnswer,
  CreateOauthClientInput,
  CreateQueueAnswer,
  CreateQueueInput,
  CreateReplaySetAnswer,
  CreateReplaySetInput,
  CreateRevisionAnswer,
  CreateRevisionInput,
  CreateSandboxAnswer,
  CreateSandboxInput,
  CreateScheduleAnswer,
  CreateScheduleInput,
  CreateSecretAnswer,
  CreateSecretInput,
  CreateSignInLinkAnswer,
  CreateSignInLinkInput,
  CreateSkillAnswer,
  CreateSkillInput,
  CreateTeamFileAnswer,
  CreateTeamFileInput,
  CreateTeamFileUploadUrlAnswer,
  CreateTeamFileUploadUrlInput,
  CreateUploadUrlAnswer,
  CreateUploadUrlInput,
  CreateViewAnswer,
  CreateViewInput,
  CreateWebhookAnswer,
  CreateWebhookInput,
  DeleteAgentAnswer,
  DeleteAgentCaseTriggerAnswer,
  DeleteAgentMemoryFileAnswer,
  DeleteAgentMemoryFileInput,
  DeleteAlertRuleAnswer,
  DeleteApiKeyAnswer,
  DeleteArtifactAnswer,
  DeleteCaseAnswer,
  DeleteConnectionAnswer,
  DeleteLabelAnswer,
  DeleteLoginAnswer,
  DeleteMemberAnswer,
  DeleteModelKeyAnswer,
  DeleteOauthClientAnswer,
  DeleteQueueAnswer,
  DeleteRecordingAnswer,
  DeleteReplaySetAnswer,
  DeleteRunAnswer,
  DeleteSandboxAnswer,
  DeleteSandboxFileAnswer,
  DeleteSandboxFileInput,
  DeleteScheduleAnswer,
  DeleteSecretAnswer,
  DeleteSessionAnswer,
  DeleteSkillAnswer,
  DeleteSkillFileAnswer,
  DeleteTeamFileAnswer,
  DeleteTriggerAnswer,
  DeleteViewAnswer,
  DeleteWebhookAnswer,
  DetachArtifactConnectionAnswer,
  DiffRevisionsAnswer,
  DiffRevisionsInput,
  DiscardRevisionAnswer,
  DiscardRevisionInput,
  DownloadSkillInput,
  DuplicateArtifactAnswer,
  EvaluateRunAnswer,
  ExecSandboxAnswer,
  ExecSandboxInput,
  ExplainQueueAnswer,
  ExplainRunAnswer,
  ExportArtifactCsvInput,
  ExportArtifactHtmlInput,
  ExportArtifactMdInput,
  ExportArtifactPdfInput,
  ExportArtifactXlsxInput,
  FailCaseAnswer,
  FailCaseInput,
  FinalizeThirdPartyOAuthAnswer,
  FinalizeThirdPartyOAuthInput,
  GenerateRevisionAnswer,
  GenerateRevisionInput,
  GetAgentAnswer,
  GetAgentCaseTriggerAnswer,
  GetAgentInputsAnswer,
  GetAgentInputsInput,
  GetAgentMemoryFileAnswer,
  GetAgentRunAnswer,
  GetAgentRunScreenshotTimelineAnswer,
  GetAlertIncidentAnswer,
  GetAlertRuleAnswer,
  GetArtifactAnswer,
  GetArtifactSourceAnswer,
  GetBillingEntitlementsAnswer,
  GetBillingUsageAnswer,
  GetBillingUsageHistoryAnswer,
  GetBillingUsageHistoryInput,
  GetBuilderRunStatusAnswer,
  GetBulkActionAnswer,
  GetCaseAgesAnswer,
  GetCaseAnswer,
  GetCaseEvidenceInput,
  GetConnectionAnswer,
  GetConnectionCredentialsAnswer,
  GetEvalRubricsAnswer,
  GetEvalRubricsInput,
  GetEvalScoresAnswer,
  GetEvalScoresInput,
  GetGuardrailDryRunAnswer,
  GetGuardrailsAnswer,
  GetHumanRequestAnswer,
  GetHumanRequestCountsAnswer,
  GetLoginAnswer,
  GetMarkAgreementAnswer,
  GetMarkAgreementInput,
  GetModelSettingsAnswer,
  GetNotificationsAnswer,
  GetOverviewAnswer,
  GetPreferencesAnswer,
  GetProcedureLanguageAnswer,
  GetProfileAnswer,
  GetPromotionGateAnswer,
  GetPromotionPreviewAnswer,
  GetQueueAnswer,
  GetReplayAnswer,
  GetReplayGateAnswer,
  GetReplayRunAnswer,
  GetReplaySetAnswer,
  GetRevisionAnswer,
  GetRevisionBuilderRunAnswer,
  GetRunAnswer,
  GetRunCountsAnswer,
  GetRunCountsInput,
  GetRunEvaluationAnswer,
  GetRunEvidenceInput,
  GetRunSandboxFileContentAnswer,
  GetRunSandboxFileContentByRunAnswer,
  GetRunSandboxFileContentByRunInput,
  GetRunSandboxFileContentInput,
  GetRunScreenshotTimelineAnswer,
  GetRunStepAnswer,
  GetSandboxAnswer,
  GetSandboxFileContentAnswer,
  GetSandboxFileContentInput,
  GetSandboxUsageAnswer,
  GetSchedulePreviewAnswer,
  GetSecretAnswer,
  GetSkillAnswer,
  GetSkillFileAnswer,
  GetSkillFileInput,
  GetSkillInput,
  GetSuggestionAnswer,
  GetSuggestionSettingsAnswer,
  GetSystemAnswer,
  GetTeamAnswer,
  GetTeamFileAnswer,
  GetTriggerAnswer,
  GetTriggerDeliveryAnswer,
  GetViewAnswer,
  GetWebhookDeliveryAnswer,
  GetWebhookDeliveryRequestAnswer,
  GetWebhookSecretAnswer,
  GetWorkflowExecutionReportAnswer,
  LinkCaseLabelsAnswer,
  LinkCaseLabelsInput,
  ListAgentCaseTriggersAnswer,
  ListAgentFiguresAnswer,
  ListAgentFiguresInput,
  ListAgentMemoryFilesAnswer,
  ListAgentRevisionsAnswer,
  ListAgentRevisionsInput,
  ListAgentSchedulesAnswer,
  ListAgentScoresAnswer,
  ListAgentScoresInput,
  ListAgentTriggersAnswer,
  ListAgentsAnswer,
  ListAgentsInput,
  ListAlertIncidentsAnswer,
  ListAlertIncidentsInput,
  ListAlertRulesAnswer,
  ListAlertRulesInput,
  ListApiKeysAnswer,
  ListApiKeysInput,
  ListArtifactConnectionsAnswer,
  ListArtifactMessagesAnswer,
  ListArtifactMessagesInput,
  ListArtifactRevisionsAnswer,
  ListArtifactsAnswer,
  ListArtifactsInput,
  ListAuditLogAnswer,
  ListAuditLogInput,
  ListBrowserSessionPagesAnswer,
  ListBuildScoresAnswer,
  ListBuildScoresInput,
  ListBulkActionsAnswer,
  ListBulkActionsInput,
  ListCaseLabelsAnswer,
  ListCaseRunsAnswer,
  ListCasesAnswer,
  ListCasesInput,
  ListConnectionDependentsAnswer,
  ListConnectionProvidersAnswer,
  ListConnectionToolsAnswer,
  ListConnectionsAnswer,
  ListConnectionsInput,
  ListDeliveryTargetsAnswer,
  ListDrillsAnswer,
  ListDrillsInput,
  ListEvaluatedRunsAnswer,
  ListEvaluatedRunsInput,
  ListGuardrailStopsAnswer,
  ListGuardrailStopsInput,
  ListGuardrailVersionsAnswer,
  ListGuardrailVersionsInput,
  ListHumanRequestsAnswer,
  ListHumanRequestsInput,
  ListLabelsAnswer,
  ListLabelsInput,
  ListLoginDependentsAnswer,
  ListLoginsAnswer,
  ListLoginsInput,
  ListMailsAnswer,
  ListMailsInput,
  ListMembersAnswer,
  ListMembersInput,
  ListModelKeysAnswer,
  ListModelUsageAnswer,
  ListModelUsageInput,
  ListOauthClientsAnswer,
  ListOauthClientsInput,
  ListPluginCatalogAnswer,
  ListQueueAgentsAnswer,
  ListQueuesAnswer,
  ListQueuesInput,
  ListRecentCaseRunMessagesAnswer,
  ListRecentCaseRunMessagesInput,
  ListRecordingsAnswer,
  ListRecordingsInput,
  ListReplayRunsAnswer,
  ListReplayRunsInput,
  ListReplaySetsAnswer,
  ListReplaySetsInput,
  ListReplaysAnswer,
  ListReplaysInput,
  ListRunDetailsAnswer,
  ListRunDetailsInput,
  ListRunEventsAnswer,
  ListRunEventsInput,
  ListRunMarksAnswer,
  ListRunMessagesAnswer,
  ListRunMessagesInput,
  ListRunSandboxFilesAnswer,
  ListRunSandboxFilesByRunAnswer,
  ListRunSandboxFilesByRunInput,
  ListRunSandboxFilesInput,
  ListRunStepsAnswer,
  ListRunStepsInput,
  ListRunsAnswer,
  ListRunsInput,
  ListSandboxFilesAnswer,
  ListSandboxFilesInput,
  ListSandboxesAnswer,
  ListSandboxesInput,
  ListSecretDependentsAnswer,
  ListSecretsAnswer,
  ListSecretsInput,
  ListSessionsAnswer,
  ListSessionsInput,
  ListSkillDependentsAnswer,
  ListSkillVersionsAnswer,
  ListSkillVersionsInput,
  ListSkillsAnswer,
  ListSkillsInput,
  ListSuggestionsAnswer,
  ListSuggestionsInput,
  ListTeamEventsAnswer,
  ListTeamEventsInput,
  ListTeamFileDependentsAnswer,
  ListTeamFilesAnswer,
  ListTeamFilesInput,
  ListTeamsAnswer,
  ListTriggerDeliveriesAnswer,
  ListTriggerDeliveriesInput,
  ListViewsAnswer,
  ListViewsInput,
  ListWebhookDeliveriesAnswer,
  ListWebhookDeliveriesInput,
  ListWebhooksAnswer,
  PauseAgentAnswer,
  PauseAgentInput,
  PostRunMessageAnswer,
  PostRunMessageInput,
  PostponeCaseAnswer,
  PostponeCaseInput,
  PreviewAgentCaseTriggerConflictsAnswer,
  PreviewAgentCaseTriggerConflictsInput,
  PreviewAlertRuleAnswer,
  PreviewAlertRuleInput,
  PreviewScheduleAnswer,
  PreviewScheduleInput,
  ProbeMcpServerAnswer,
  ProbeMcpServerInput,
  PromoteRevisionAnswer,
  PromoteRevisionInput,
  PublishArtifactAnswer,
  PublishArtifactInput,
  PutAgentMemoryFileAnswer,
  PutAgentMemoryFileInput,
  PutPromotionGateAnswer,
  PutPromotionGateInput,
  PutReplayGateAnswer,
  PutReplayGateInput,
  PutRunMarkAnswer,
  PutRunMarkInput,
  PutSkillFileAnswer,
  PutSkillFileInput,
  PutSuggestionSettingsAnswer,
  PutSuggestionSettingsInput,
  RefreshArtifactAnswer,
  RejectSuggestionAnswer,
  RejectSuggestionInput,
  ReleaseCaseAnswer,
  ReleaseCaseInput,
  RenderArtifactInput,
  RenderArtifactRevisionInput,
  RenderSelectableArtifactInput,
  ReplaceEvalRubricsAnswer,
  ReplaceEvalRubricsInput,
  ReplayTriggerDeliveryAnswer,
  ReplayWebhookAnswer,
  ReplayWebhookDeliveryAnswer,
  ReplayWebhookInput,
  RequestEmailConfirmationAnswer,
  RespondToHumanRequestAnswer,
  RespondToHumanRequestInput,
  RestoreArtifactRevisionAnswer,
  RestoreGuardrailsAnswer,
  RestoreGuardrailsInput,
  ResumeAgentAnswer,
  ResumeBuilderRunAnswer,
  ResumeBuilderRunInput,
  RetryRunAnswer,
  RetryRunInput,
  RotateTriggerAddressAnswer,
  RotateWebhookSecretAnswer,
  RotateWebhookSecretInput,
  SearchAgentsAnswer,
  SearchAgentsInput,
  SearchCasesAnswer,
  SearchCasesInput,
  SendArtifactMessageAnswer,
  SendArtifactMessageInput,
  SendTestMailAnswer,
  SetGuardrailsAnswer,
  SetGuardrailsInput,
  StartDrillAnswer,
  StartDrillInput,
  StartGuardrailDryRunAnswer,
  StartGuardrailDryRunInput,
  StartNativeOAuthAnswer,
  StartNativeOAuthInput,
  StartReplayAnswer,
  StartReplayInput,
  StartRunAnswer,
  StartRunInput,
  StopArtifactAnswer,
  StopArtifactInput,
  StopBulkActionAnswer,
  StopDrillAnswer,
  StopRunAnswer,
  TakeOverCaseAnswer,
  TakeOverCaseInput,
  TestConnectionAnswer,
  TestModelKeyAnswer,
  TestWebhookAnswer,
  TestWebhookInput,
  UnlinkCaseLabelsAnswer,
  UnlinkCaseLabelsInput,
  UpdateAgentAnswer,
  UpdateAgentCaseTriggerAnswer,
  UpdateAgentCaseTriggerInput,
  UpdateAgentInput,
  UpdateAlertRuleAnswer,
  UpdateAlertRuleInput,
  UpdateArtifactAnswer,
  UpdateArtifactInput,
  UpdateCaseAnswer,
  UpdateCaseInput,
  UpdateConnectionAnswer,
  UpdateConnectionInput,
  UpdateEvalRubricAnswer,
  UpdateEvalRubricInput,
  UpdateLabelAnswer,
  UpdateLabelInput,
  UpdateLoginAnswer,
  UpdateLoginInput,
  UpdateMemberAnswer,
  UpdateMemberInput,
  UpdateModelKeyAnswer,
  UpdateModelKeyInput,
  UpdateModelSettingsAnswer,
  UpdateModelSettingsInput,
  UpdateNotificationsAnswer,
  UpdateNotificationsInput,
  UpdatePreferencesAnswer,
  UpdatePreferencesInput,
  UpdateQueueAnswer,
  UpdateQueueInput,
  UpdateReplaySetAnswer,
  UpdateReplaySetInput,
  UpdateRevisionAnswer,
  UpdateRevisionInput,
  UpdateScheduleAnswer,
  UpdateScheduleInput,
  UpdateSecretAnswer,
  UpdateSecretInput,
  UpdateTeamFileAnswer,
  UpdateTeamFileInput,
  UpdateTriggerAnswer,
  UpdateTriggerInput,
  UpdateViewAnswer,
  UpdateViewInput,
  UpdateWebhookAnswer,
  UpdateWebhookInput,
  UploadSkillAnswer,
  UploadSkillInput,
  WithdrawApprovalAnswer,
} from './types.ts'

/** Agents, their builds and the builder runs that write them. */
export class AgentsGroup extends Group {
  /** List agents. Needs the scope `agents:read`. */
  list(input?: ListAgentsInput, options?: CallOptions): List<ListAgentsAnswer['agents'][number], ListAgentsAnswer> {
    return this.client.list('GET', '/v2/teams/:teamId/agents', {}, input, options, 'agents')
  }

  /** Newest first, as listAgents gives them. Without `search` these are all agents. Needs the scope `agents:read`. */
  search(input?: SearchAgentsInput, options?: CallOptions): List<SearchAgentsAnswer['agents'][number], SearchAgentsAnswer> {
    return this.client.list('GET', '/v2/teams/:teamId/agent-search', {}, input, options, 'agents')
  }

  /** For each agent its last run, the runs of seven days, what a run usually costs and takes, its next start, and whether a draft waits. Newest agents first, as listAgents gives them, so that the same `limit` and `offset` give the same page. Needs the scope `runs:read`. */
  figures(input?: ListAgentFiguresInput, options?: CallOptions): List<ListAgentFiguresAnswer['agent_figures'][number], ListAgentFiguresAnswer> {
    return this.client.list('GET', '/v2/teams/:teamId/agent-figures', {}, input, options, 'agent_figures')
  }

  /** Give one of: `instructions` and `model`, `build`, or `source_build_id` (a copy). The first build is live at once. Without a procedure the agent gets a small one that runs as it is and is meant to be edited. Needs the scope `agents:write`. */
  create(input?: CreateAgentInput, options?: CallOptions): Call<CreateAgentAnswer> {
    return this.client.json('POST', '/v2/teams/:teamId/agents', {}, input, options)
  }

  /** Get an agent. Needs the scope `agents:read`. */
  get(agentId: string, options?: CallOptions): Call<GetAgentAnswer> {
    return this.client.json('GET', '/v2/agents/:agent_id', {agent_id: agentId}, undefined, options)
  }

  /** What the steps of a build read of the message that starts a run, as a JSON Schema: of the live build, or of the build in `build_id`. What a model makes of the message besides its steps is not known. Needs the scope `agents:read`. */
  inputs(agentId: string, input?: GetAgentInputsInput, options?: CallOptions): Call<GetAgentInputsAnswer> {
    return this.client.json('GET', '/v2/agents/:agent_id/inputs', {agent_id: agentId}, input, options)
  }

  /** What the agent does is changed by making a revision and promoting it. Needs the scope `agents:write`. */
  update(agentId: string, input?: UpdateAgentInput, options?: CallOptions): Call<UpdateAgentAnswer> {
    return this.client.json('PATCH', '/v2/agents/:agent_id', {agent_id: agentId}, input, options)
  }

  /** From then on no run of its live build starts: callers get `agent_paused` (409), due times of schedules are skipped, and what came in for triggers and queues waits. Runs under way continue, and runs of a draft can be started. Pausing a paused agent changes nothing. Needs the scope `agents:write`. */
  pause(agentId: string, input?: PauseAgentInput, options?: CallOptions): Call<PauseAgentAnswer> {
    return this.client.json('POST', '/v2/agents/:agent_id/pause', {agent_id: agentId}, input, options)
  }

  /** Runs of its live build start again, and what came in for its triggers and queues while it was paused starts now. Due times of schedules that were skipped are not made up for. Resuming an agent that is not paused changes nothing. Needs the scope `agents:write`. */
  resume(agentId: string, options?: CallOptions): Call<ResumeAgentAnswer> {
    return this.client.json('POST', '/v2/agents/:agent_id/resume', {agent_id: agentId}, undefined, options)
  }

  /** Stops its active runs and builder runs, and removes its schedules, triggers and memory. Its runs stay readable. Needs the scope `agents:write`. */
  delete(agentId: string, options?: CallOptions): Call<DeleteAgentAnswer> {
    return this.client.json('DELETE', '/v2/agents/:agent_id', {agent_id: agentId}, undefined, options)
  }

  /** List the revisions of an agent. Needs the scope `agents:read`. */
  listRevisions(agentId: string, input?: ListAgentRevisionsInput, options?: CallOptions): List<ListAgentRevisionsAnswer['builds'][number], ListAgentRevisionsAnswer> {
    return this.client.list('GET', '/v2/agents/:agent_id/revisions', {agent_id: agentId}, input, options, 'builds')
  }

  /** Makes a draft: from `config`, else as a copy of the build `source_build_id`, else as a copy of the live build. A draft changes nothing until it is promoted. Needs the scope `agents:write`. */
  createRevision(agentId: string, input?: CreateRevisionInput, options?: CallOptions): Call<CreateRevisionAnswer> {
    return this.client.json('POST', '/v2/agents/:agent_id/revisions', {agent_id: agentId}, input, options)
  }

  /** Get a revision. Needs the scope `agents:read`. */
  getRevision(agentId: string, buildId: string, options?: CallOptions): Call<GetRevisionAnswer> {
    return this.client.json('GET', '/v2/agents/:agent_id/revisions/:build_id', {agent_id: agentId, build_id: buildId}, undefined, options)
  }

  /** What this build changes compared with another build of the same agent: by default the live build, or its parent if it is live itself. The first build is compared with nothing (`against_build_id` is null). Needs the scope `agents:read`. */
  diffRevisions(agentId: string, buildId: string, input?: DiffRevisionsInput, options?: CallOptions): Call<DiffRevisionsAnswer> {
    return this.client.json('GET', '/v2/agents/:agent_id/revisions/:build_id/diff', {agent_id: agentId, build_id: buildId}, input, options)
  }

  /** Only a draft can get another config, because runs have followed the other builds. While a builder run is active, the draft cannot get one either. Needs the scope `agents:write`. */
  updateRevision(buildId: string, input?: UpdateRevisionInput, options?: CallOptions): Call<UpdateRevisionAnswer> {
    return this.client.json('PATCH', '/v2/revisions/:build_id', {build_id: buildId}, input, options)
  }

  /** What would change if this build became live now, compared with the live one, and whether promoteRevision would refuse it. Promoting a historic build is a rollback. Needs the scope `agents:read`. */
  previewPromotion(agentId: string, buildId: string, options?: CallOptions): Call<GetPromotionPreviewAnswer> {
    return this.client.json('GET', '/v2/agents/:agent_id/revisions/:build_id/promotion-preview', {agent_id: agentId, build_id: buildId}, undefined, options)
  }

  /** A draft, or a historic build (a rollback), becomes live. Runs under way keep the build they began with. Triggers that were accepted with the draft are switched on. Needs the scope `agents:write`. */
  promoteRevision(buildId: string, input?: PromoteRevisionInput, options?: CallOptions): Call<PromoteRevisionAnswer> {
    return this.client.json('POST', '/v2/revisions/:build_id/promote', {build_id: buildId}, input, options)
  }

  /** Starts a builder run that proposes a procedure for this draft, with what its runs need (secrets, logins, skills, files and connections by name, models) and what starts them, or asks if something is unclear or missing. Nothing changes until the proposal is accepted. What looks like the value of a secret in `prompt` is cut out and not kept. For a live or historic build a draft is made first, and the answer has the `build_id` of that draft. Without a model a simple builder adds the words of the prompt, in order (goal, steps, notes), to the existing procedure. Needs the scope `agents:write`. */
  generateRevision(buildId: string, input?: GenerateRevisionInput, options?: CallOptions): Call<GenerateRevisionAnswer> {
    return this.client.json('POST', '/v2/revisions/:build_id/generate', {build_id: buildId}, input, options)
  }

  /** Get the latest builder run of a revision. Needs the scope `agents:read`. */
  getRevisionBuilderRun(buildId: string, options?: CallOptions): Call<GetRevisionBuilderRunAnswer> {
    return this.client.json('GET', '/v2/revisions/:build_id/builder-run', {build_id: buildId}, undefined, options)
  }

  /** Get a builder run. Needs the scope `agents:read`. */
  getBuilderRunStatus(builderRunId: string, options?: CallOptions): Call<GetBuilderRunStatusAnswer> {
    return this.client.json('GET', '/v2/builder-runs/:builder_run_id/status', {builder_run_id: builderRunId}, undefined, options)
  }

  /** Every open question needs an answer; other answers are ignored. What looks like the value of a secret is cut out and not kept. Needs the scope `agents:write`. */
  resumeBuilderRun(builderRunId: string, input: ResumeBuilderRunInput, options?: CallOptions): Call<ResumeBuilderRunAnswer> {
    return this.client.json('POST', '/v2/builder-runs/:builder_run_id/resume', {builder_run_id: builderRunId}, input, options)
  }

  /** Reads a procedure as a run would, and saves nothing: its problems at their lines (at most 100 errors), with a fix where a word is nearly right, its steps in their order, and what they read of the message. With `config`, the problems of the config come too. Needs the scope `agents:read`. */
  checkProcedure(input: CheckProcedureInput, options?: CallOptions): Call<CheckProcedureAnswer> {
    return this.client.json('POST', '/v2/teams/:teamId/procedure-checks', {}, input, withoutKey(options))
  }

  /** The kinds of blocks with their options, the filters, and what `{{ }}` can read, as this server reads procedures. It changes only with the version of the server. Needs the scope `agents:read`. */
  procedureLanguage(options?: CallOptions): Call<GetProcedureLanguageAnswer> {
    return this.client.json('GET', '/v2/procedure-language', {}, undefined, options)
  }

  /** The draft gets the proposed config, and the builder run is completed. Proposed triggers are made with it, for you and paused. Promote the draft to make it live: that also switches them on, unless you changed them. A webhook whose senders prove themselves stays paused until you give its secret. Needs the scope `agents:write`. */
  acceptRevision(buildId: string, input?: AcceptRevisionInput, options?: CallOptions): Call<AcceptRevisionAnswer> {
    return this.client.json('POST', '/v2/revisions/:build_id/accept', {build_id: buildId}, input, options)
  }

  /** Ends the builder run, also before it has proposed anything. The draft keeps the config that it had before. Needs the scope `agents:write`. */
  discardRevision(buildId: string, input?: DiscardRevisionInput, options?: CallOptions): Call<DiscardRevisionAnswer> {
    return this.client.json('POST', '/v2/revisions/:build_id/discard', {build_id: buildId}, input, options)
  }
}

/** Rules over failures, waits and cost, and the incidents that they open. */
export class AlertsGroup extends Group {
  /** Oldest first, each with its last measurement and its open incident. Needs the scope `runs:read`. */
  listRules(input?: ListAlertRulesInput, options?: CallOptions): List<ListAlertRulesAnswer['alert_rules'][number], ListAlertRulesAnswer> {
    return this.client.list('GET', '/v2/teams/:teamId/alert-rules', {}, input, options, 'alert_rules')
  }

  /** The rule is measured about twice a minute. It opens one incident at a time, which is reported once when it opens and once when it closes. A team has at most 100 rules, with different names. Besides `agents:write` it takes the scope that reads what the signal measures: `billing:read` for `cost`, `queues:read` for `queue_age`, `webhooks:manage` for `delivery_failures`, `agents:read` for `schedule_misses`, and `runs:read` for the others. Needs the scope `agents:write`. */
  createRule(input: CreateAlertRuleInput, options?: CallOptions): Call<CreateAlertRuleAnswer> {
    return this.client.json('POST', '/v2/teams/:teamId/alert-rules', {}, input, options)
  }

  /** What the rule would measure now, what is behind it, and what it would have measured in the last seven days. The past of `waiting_age`, `queue_age` and `delivery_failures` is not stored, so it is not answered. It takes the scope that reads what the signal measures. Needs the scope `runs:read`. */
  previewRule(input: PreviewAlertRuleInput, options?: CallOptions): Call<PreviewAlertRuleAnswer> {
    return this.client.json('POST', '/v2/teams/:teamId/alert-rules/preview', {}, input, withoutKey(options))
  }

  /** Get an alert rule. Needs the scope `runs:read`. */
  getRule(alertRuleId: string, options?: CallOptions): Call<GetAlertRuleAnswer> {
    return this.client.json('GET', '/v2/alert-rules/:alert_rule_id', {alert_rule_id: alertRuleId}, undefined, options)
  }

  /** Only the given fields change. A new `threshold` without a `clear_threshold` sets the latter to four fifths of it. `enabled: false` closes its open incident. The signal and the scope of a rule stay: make another rule for another one. Needs the scope `agents:write`. */
  updateRule(alertRuleId: string, input?: UpdateAlertRuleInput, options?: CallOptions): Call<UpdateAlertRuleAnswer> {
    return this.client.json('PATCH', '/v2/alert-rules/:alert_rule_id', {alert_rule_id: alertRuleId}, input, options)
  }

  /** Its open incident closes. Incidents stay readable. Needs the scope `agents:write`. */
  deleteRule(alertRuleId: string, options?: CallOptions): Call<DeleteAlertRuleAnswer> {
    return this.client.json('DELETE', '/v2/alert-rules/:alert_rule_id', {alert_rule_id: alertRuleId}, undefined, options)
  }

  /** Newest first. Closed ones are kept for 180 days. Needs the scope `runs:read`. */
  listIncidents(input?: ListAlertIncidentsInput, options?: CallOptions): List<ListAlertIncidentsAnswer['incidents'][number], ListAlertIncidentsAnswer> {
    return this.client.list('GET', '/v2/teams/:teamId/incidents', {}, input, options, 'incidents')
  }

  /** Get an incident. Needs the scope `runs:read`. */
  getIncident(incidentId: string, options?: CallOptions): Call<GetAlertIncidentAnswer> {
    return this.client.json('GET', '/v2/incidents/:incident_id', {incident_id: incidentId}, undefined, options)
  }

  /** Says that you take care of it: others see that, and nobody is reminded of it any more. `acknowledged_by` is the last member who did so. Needs the scope `runs:write`. */
  acknowledge(incidentId: string, input?: AcknowledgeAlertIncidentInput, options?: CallOptions): Call<AcknowledgeAlertIncidentAnswer> {
    return this.client.json('POST', '/v2/incidents/:incident_id/acknowledge', {incident_id: incidentId}, input, options)
  }
}

/** Keys with which programs sign in. */
export class ApiKeysGroup extends Group {
  /** Revoked keys are left out; expired ones are listed until they are deleted. Needs the scope `keys:manage`. */
  list(input?: ListApiKeysInput, options?: CallOptions): List<ListApiKeysAnswer['api_keys'][number], ListApiKeysAnswer> {
    return this.client.list('GET', '/v2/teams/:teamId/api-keys', {}, input, options, 'api_keys')
  }

  /** The secret is only in this answer. Without `scopes` the key gets all scopes that its creator and its holder share. It cannot have a scope that its creator lacks, and it ends with the credential that makes it at the latest. A key for another member needs an admin’s credential with all scopes. Needs the scope `keys:manage`. */
  create(input?: CreateApiKeyInput, options?: CallOptions): Call<CreateApiKeyAnswer> {
    return this.client.json('POST', '/v2/teams/:teamId/api-keys', {}, input, options)
  }

  /** Revoke an API key. Needs the scope `keys:manage`. */
  delete(keyId: string, options?: CallOptions): Call<DeleteApiKeyAnswer> {
    return this.client.json('DELETE', '/v2/api-keys/:key_id', {key_id: keyId}, undefined, options)
  }
}

/** Live pages that agents make and keep fresh. */
export class ArtifactsGroup extends Group {
  /** Those that changed last come first. Needs the scope `artifacts:read`. */
  list(input?: ListArtifactsInput, options?: CallOptions): List<ListArtifactsAnswer['artifacts'][number], ListArtifactsAnswer> {
    return this.client.list('GET', '/v2/artifacts', {}, input, options, 'artifacts')
  }

  /** The page is made after the answer: read the artifact until its status is `completed`. With `template`, or with a message that has fenced steps and an html block, no model is needed. Without a model, any other message leads to a question in `pending_question`. Needs the scope `artifacts:write`. */
  create(input: CreateArtifactInput, options?: CallOptions): Call<CreateArtifactAnswer> {
    return this.client.json('POST', '/v2/artifacts', {}, input, options)
  }

  /** Get an artifact. Needs the scope `artifacts:read`. */
  get(artifactId: string, options?: CallOptions): Call<GetArtifactAnswer> {
    return this.client.json('GET', '/v2/artifacts/:artifactId', {artifactId}, undefined, options)
  }

  /** Only its creator can do this. A new `refresh_frequency` counts from now; null ends the refreshes. Needs the scope `artifacts:write`. */
  update(artifactId: string, input?: UpdateArtifactInput, options?: CallOptions): Call<UpdateArtifactAnswer> {
    return this.client.json('PATCH', '/v2/artifacts/:artifactId', {artifactId}, input, options)
  }

  /** Only its creator can do this. Its revisions, messages and public URL are gone; work on it is stopped. Needs the scope `artifacts:write`. */
  delete(artifactId: string, options?: CallOptions): Call<DeleteArtifactAnswer> {
    return this.client.json('DELETE', '/v2/artifacts/:artifactId', {artifactId}, undefined, options)
  }

  /** The page as HTML. It loads nothing, and its only script is one of the service that sorts tables. Its Content-Security-Policy puts it into a sandbox; show it in a sandboxed frame. Needs the scope `artifacts:read`. */
  render(artifactId: string, input?: RenderArtifactInput, options?: CallOptions): Call<FileAnswer> {
    return this.client.file('GET', '/v2/artifacts/:artifactId/render', {artifactId}, input, options)
  }

  /** As renderArtifact, with one more script of the service. It waits for the message `{"runyard": "artifact", "select": true}` of the window around the page, which must be of the same origin, and posts the element that a person then selects: `{"runyard": "artifact", "selected": …}`, in the form that sendArtifactMessage takes as `selected_element`. Needs the scope `artifacts:read`. */
  renderSelectable(artifactId: string, input?: RenderSelectableArtifactInput, options?: CallOptions): Call<FileAnswer> {
    return this.client.file('GET', '/v2/artifacts/:artifactId/render/selectable', {artifactId}, input, options)
  }

  /** The steps and the template of the current page. `data_at`: when its steps last gave data. `source` is null while there is no page. Needs the scope `artifacts:read`. */
  source(artifactId: string, options?: CallOptions): Call<GetArtifactSourceAnswer> {
    return this.client.json('GET', '/v2/artifacts/:artifactId/source', {artifactId}, undefined, options)
  }

  /** The page as one file that needs nothing else. Needs the scope `artifacts:read`. */
  exportHtml(artifactId: string, input?: ExportArtifactHtmlInput, options?: CallOptions): Call<FileAnswer> {
    return this.client.file('GET', '/v2/artifacts/:artifactId/export/html', {artifactId}, input, options)
  }

  /** The page on A4, with its title and time. It is light unless `theme` is `dark`. It needs the browser of the service. Needs the scope `artifacts:read`. */
  exportPdf(artifactId: string, input?: ExportArtifactPdfInput, options?: CallOptions): Call<FileAnswer> {
    return this.client.file('GET', '/v2/artifacts/:artifactId/export/pdf', {artifactId}, input, options)
  }

  /** The tables of the page and the data of its charts, one below the other. Needs the scope `artifacts:read`. */
  exportCsv(artifactId: string, input?: ExportArtifactCsvInput, options?: CallOptions): Call<FileAnswer> {
    return this.client.file('GET', '/v2/artifacts/:artifactId/export/csv', {artifactId}, input, options)
  }

  /** The tables of the page and the data of its charts, each on a sheet of its own. Needs the scope `artifacts:read`. */
  exportXlsx(artifactId: string, input?: ExportArtifactXlsxInput, options?: CallOptions): Call<FileAnswer> {
    return this.client.file('GET', '/v2/artifacts/:artifactId/export/xlsx', {artifactId}, input, options)
  }

  /** The page as Markdown: its texts, and its charts and tables as tables. Needs the scope `artifacts:read`. */
  exportMd(artifactId: string, input?: ExportArtifactMdInput, options?: CallOptions): Call<FileAnswer> {
    return this.client.file('GET', '/v2/artifacts/:artifactId/export/md', {artifactId}, input, options)
  }

  /** Only its creator can do this. `team`: the team reads it, and changes it with the permission `edit`. `public`: everybody who has `public_url` reads it too, without a credential. When the artifact is no longer public, that URL stops working and never works again. Needs the scope `artifacts:write`. */
  publish(artifactId: string, input: PublishArtifactInput, options?: CallOptions): Call<PublishArtifactAnswer> {
    return this.client.json('POST', '/v2/artifacts/:artifactId/publish', {artifactId}, input, options)
  }

  /** The copy is yours and private. It has the current page, but no chat, connections or refreshes. Needs the scope `artifacts:write`. */
  duplicate(artifactId: string, options?: CallOptions): Call<DuplicateArtifactAnswer> {
    return this.client.json('POST', '/v2/artifacts/:artifactId/duplicate', {artifactId}, undefined, options)
  }

  /** The newest messages, in the order in which they were written. Only messages that led to the current page are listed: restoring a revision also brings back its messages. Needs the scope `artifacts:read`. */
  listMessages(artifactId: string, input?: ListArtifactMessagesInput, options?: CallOptions): Call<ListArtifactMessagesAnswer> {
    return this.client.json('GET', '/v2/artifacts/:artifactId/messages', {artifactId}, input, options)
  }

  /** The page is changed after the answer. While something works on the artifact, another message is a 409. With `from_revision_id`, that revision is changed instead of the current one. Needs the scope `artifacts:write`. */
  sendMessage(artifactId: string, input: SendArtifactMessageInput, options?: CallOptions): Call<SendArtifactMessageAnswer> {
    return this.client.json('POST', '/v2/artifacts/:artifactId/messages', {artifactId}, input, options)
  }

  /** Runs the steps of the current page again. If they fail, `refresh_error` says why, and the page stays as it was. Needs the scope `artifacts:write`. */
  refresh(artifactId: string, options?: CallOptions): Call<RefreshArtifactAnswer> {
    return this.client.json('POST', '/v2/artifacts/:artifactId/refresh', {artifactId}, undefined, options)
  }

  /** The artifact becomes `interrupted`. If nothing works on it, nothing changes. Needs the scope `artifacts:write`. */
  stop(artifactId: string, input?: StopArtifactInput, options?: CallOptions): Call<StopArtifactAnswer> {
    return this.client.json('POST', '/v2/artifacts/:artifactId/stop', {artifactId}, input, options)
  }

  /** Answers `pending_question`. Of several answers the first one counts; the others get a 409. Where a call is held back, nobody knows whether a call happened, or the work has reached a limit, the answer takes the scope `approvals:write` too, and names its `tool_call_id`. Needs the scope `artifacts:write`. */
  answer(artifactId: string, input: AnswerArtifactInput, options?: CallOptions): Call<AnswerArtifactAnswer> {
    return this.client.json('POST', '/v2/artifacts/:artifactId/answer', {artifactId}, input, options)
  }

  /** List the connections of an artifact. Needs the scope `artifacts:read`. */
  listConnections(artifactId: string, options?: CallOptions): Call<ListArtifactConnectionsAnswer> {
    return this.client.json('GET', '/v2/artifacts/:artifactId/connections', {artifactId}, undefined, options)
  }

  /** Its steps may use the connection from the next message or refresh. A private connection works only in an artifact that the same member made and nobody else has changed. Needs the scope `artifacts:write`. */
  attachConnection(artifactId: string, input: AttachArtifactConnectionInput, options?: CallOptions): Call<AttachArtifactConnectionAnswer> {
    return this.client.json('POST', '/v2/artifacts/:artifactId/connections', {artifactId}, input, options)
  }

  /** The connection itself stays. Work under way keeps it until it ends. Needs the scope `artifacts:write`. */
  detachConnection(artifactId: string, connectionId: string, options?: CallOptions): Call<DetachArtifactConnectionAnswer> {
    return this.client.json('DELETE', '/v2/artifacts/:artifactId/connections/:connectionId', {artifactId, connectionId}, undefined, options)
  }

  /** Newest first. Each change of the page makes a revision. A refresh does not: it gives the current revision new data. Needs the scope `artifacts:read`. */
  listRevisions(artifactId: string, options?: CallOptions): Call<ListArtifactRevisionsAnswer> {
    return this.client.json('GET', '/v2/artifacts/:artifactId/revisions', {artifactId}, undefined, options)
  }

  /** As renderArtifact, with the data that the revision last had. Needs the scope `artifacts:read`. */
  renderRevision(artifactId: string, revisionId: string, input?: RenderArtifactRevisionInput, options?: CallOptions): Call<FileAnswer> {
    return this.client.file('GET', '/v2/artifacts/:artifactId/revisions/:revisionId/render', {artifactId, revisionId}, input, options)
  }

  /** The revision becomes the current one, and its chat is shown again. Later revisions stay in the list. Needs the scope `artifacts:write`. */
  restoreRevision(artifactId: string, revisionId: string, options?: CallOptions): Call<RestoreArtifactRevisionAnswer> {
    return this.client.json('POST', '/v2/artifacts/:artifactId/revisions/:revisionId/restore', {artifactId, revisionId}, undefined, options)
  }
}

/** Who changed what, and when. */
export class AuditLogGroup extends Group {
  /** One entry for every mutation, also for refused ones. `for_user_id` is the member for whom it was done, such as the holder of a new API key. The first use of a secret or a login by a run is an entry too, with the `credential_type` `run`, and so is what the service does by itself (`service`): when a rule of alerts pauses an agent, `credential_id` is the incident. Entries are never changed; old ones are erased. If a credential is refused more than 60 times a minute, one entry stands for the other refusals and counts them. Needs the scope `keys:manage`. */
  list(input?: ListAuditLogInput, options?: CallOptions): List<ListAuditLogAnswer['entries'][number], ListAuditLogAnswer> {
    return this.client.list('GET', '/v2/teams/:teamId/audit-log', {}, input, options, 'entries')
  }
}

/** What a team uses, and what it may use. */
export class BillingGroup extends Group {
  /** The current calendar month of UTC, up to this moment. Every figure is written in the transaction of the work that it counts. Needs the scope `billing:read`. */
  usage(options?: CallOptions): Call<GetBillingUsageAnswer> {
    return this.client.json('GET', '/v2/teams/:teamId/billing/usage', {}, undefined, options)
  }

  /** Only the operator sets them, with `runyard entitlements set`. Past `max_concurrent_runs` a run waits as `pending`; past any other limit what would use more is refused with `entitlement_exceeded`, schedules skip, and cases stay pending. Needs the scope `billing:read`. */
  entitlements(options?: CallOptions): Call<GetBillingEntitlementsAnswer> {
    return this.client.json('GET', '/v2/teams/:teamId/billing/entitlements', {}, undefined, options)
  }

  /** Answers like getBillingUsage, for whole days of UTC: from the day of `since`, up to `until`. `period_start` and `period_end` say which days were counted. Without `since` it begins with the month in which `until` lies. Without `until` it ends with the current month, or 400 days after `since`. Without both it is the current month. Needs the scope `billing:read`. */
  usageHistory(input?: GetBillingUsageHistoryInput, options?: CallOptions): Call<GetBillingUsageHistoryAnswer> {
    return this.client.json('GET', '/v2/teams/:teamId/billing/usage/history', {}, input, options)
  }

  /** Which agent used which model, for whole days of UTC: at most 500 rows, the most expensive first. `left_out` says how many more there are. Without `since` it begins with the month in which `until` lies. Without `until` it ends with the current month, or 400 days after `since`. Without both it is the current month. Needs the scope `billing:read`. */
  modelUsage(input?: ListModelUsageInput, options?: CallOptions): Call<ListModelUsageAnswer> {
    return this.client.json('GET', '/v2/teams/:teamId/billing/usage/models', {}, input, options)
  }
}

/** Browser sessions of runs. */
export class BrowserGroup extends Group {
  /** The session of a run is its browser_session_id. It stays open while the run waits, and closes with its end. Needs the scope `files:read`. */
  listPages(sessionId: string, options?: CallOptions): Call<ListBrowserSessionPagesAnswer> {
    return this.client.json('GET', '/v2/browser-agent/session/:session_id/pages', {session_id: sessionId}, undefined, options)
  }
}

/** Pieces of work in a queue: made, claimed, done. */
export class CasesGroup extends Group {
  /** How many open cases there are of each age since their creation, by status. `oldest_at`: when the oldest open case was made. Needs the scope `queues:read`. */
  ages(queueId: string, options?: CallOptions): Call<GetCaseAgesAnswer> {
    return this.client.json('GET', '/v2/queues/:queue_id/ages', {queue_id: queueId}, undefined, options)
  }

  /** Newest first unless asked otherwise. `total` is exact. Needs the scope `queues:read`. */
  list(queueId: string, input?: ListCasesInput, options?: CallOptions): List<ListCasesAnswer['cases'][number], ListCasesAnswer> {
    return this.client.list('GET', '/v2/queues/:queue_id/cases', {queue_id: queueId}, input, options, 'cases')
  }

  /** Newest first unless asked otherwise. `total` is exact. A case matches `filters.labels` if it has, for every given key, one of the given values. Needs the scope `queues:read`. */
  search(queueId: string, input?: SearchCasesInput, options?: CallOptions): List<SearchCasesAnswer['cases'][number], SearchCasesAnswer> {
    return this.client.list('POST', '/v2/queues/:queue_id/cases/search', {queue_id: queueId}, input, withoutKey(options), 'cases')
  }

  /** One `case`, or up to 100 `cases`: all of them or none. The answer has them in the same order. Needs the scope `queues:write`. */
  create(queueId: string, input?: CreateCasesInput, options?: CallOptions): Call<CreateCasesAnswer> {
    return this.client.json('POST', '/v2/queues/:queue_id/cases', {queue_id: queueId}, input, options)
  }

  /** `events` says who did what to it, when and why: the last 500 of them, oldest first. Needs the scope `queues:read`. */
  get(caseId: string, options?: CallOptions): Call<GetCaseAnswer> {
    return this.client.json('GET', '/v2/cases/:case_id', {case_id: caseId}, undefined, options)
  }

  /** Changes title, data and priority, in any state. To change the state, use claim, complete, fail, postpone and release. Needs the scope `queues:write`. */
  update(caseId: string, input?: UpdateCaseInput, options?: CallOptions): Call<UpdateCaseAnswer> {
    return this.client.json('PATCH', '/v2/cases/:case_id', {case_id: caseId}, input, options)
  }

  /** The run that works on it is stopped, with the runs it started. Runs of the past stay readable. Needs the scope `queues:write`. */
  delete(caseId: string, options?: CallOptions): Call<DeleteCaseAnswer> {
    return this.client.json('DELETE', '/v2/cases/:case_id', {case_id: caseId}, undefined, options)
  }

  /** The queue stays, with its labels and case triggers. More than 10,000 cases are deleted in the background; cases that are added after the start stay. Needs the scope `queues:write`. */
  clear(queueId: string, options?: CallOptions): Call<ClearQueueCasesAnswer> {
    return this.client.json('DELETE', '/v2/queues/:queue_id/cases', {queue_id: queueId}, undefined, options)
  }

  /** Newest first, at most the last 100. Needs the scope `queues:read`. */
  listRuns(caseId: string, options?: CallOptions): Call<ListCaseRunsAnswer> {
    return this.client.json('GET', '/v2/cases/:case_id/runs', {case_id: caseId}, undefined, options)
  }

  /** The newest message comes last. listRunMessages gives all of them. Needs the scope `queues:read`. */
  listRecentRunMessages(caseId: string, runId: string, input?: ListRecentCaseRunMessagesInput, options?: CallOptions): Call<ListRecentCaseRunMessagesAnswer> {
    return this.client.json('GET', '/v2/cases/:case_id/runs/:run_id/recent-messages', {case_id: caseId, run_id: runId}, input, options)
  }

  /** The case is yours until you complete, fail, postpone or release it; no agent gets it before that. A postponed case can be taken before its time. Refused with 409 if somebody holds it, you included, or it has ended. Needs the scope `queues:write`. */
  claim(caseId: string, options?: CallOptions): Call<ClaimCaseAnswer> {
    return this.client.json('POST', '/v2/cases/:case_id/claim', {case_id: caseId}, undefined, options)
  }

  /** The member holds the case until they complete, fail, postpone or release it, as if they had taken it; with null you give back a case that you hold. Works for a case that you hold, or that nobody holds. Refused with 409 if somebody else holds it or it has ended. Needs the scope `queues:write`. */
  assign(caseId: string, input: AssignCaseInput, options?: CallOptions): Call<AssignCaseAnswer> {
    return this.client.json('POST', '/v2/cases/:case_id/assign', {case_id: caseId}, input, options)
  }

  /** For admins; a case of somebody who has left the team can be taken by everyone. The case goes to you, to the member that assignee_user_id names, or back to the queue if it is null. The timeline says who held it. Refused with 409 if another member than held_by_user_id holds it by now, or nobody. A case that a run holds is free when the run is stopped. Needs the scope `queues:write`. */
  takeOver(caseId: string, input: TakeOverCaseInput, options?: CallOptions): Call<TakeOverCaseAnswer> {
    return this.client.json('POST', '/v2/cases/:case_id/take-over', {case_id: caseId}, input, options)
  }

  /** A case that you hold, or that nobody holds. Refused with 409 if somebody else holds it or it has ended. Needs the scope `queues:write`. */
  complete(caseId: string, input?: CompleteCaseInput, options?: CallOptions): Call<CompleteCaseAnswer> {
    return this.client.json('POST', '/v2/cases/:case_id/complete', {case_id: caseId}, input, options)
  }

  /** A case that you hold, or that nobody holds. Refused with 409 if somebody else holds it or it has ended. Needs the scope `queues:write`. */
  fail(caseId: string, input?: FailCaseInput, options?: CallOptions): Call<FailCaseAnswer> {
    return this.client.json('POST', '/v2/cases/:case_id/fail', {case_id: caseId}, input, options)
  }

  /** Give either `postponed_to` or `seconds`: a time in the future, at most ten years away. Works for a case that you hold, or that nobody holds. Refused with 409 if somebody else holds it or it has ended. Needs the scope `queues:write`. */
  postpone(caseId: string, input?: PostponeCaseInput, options?: CallOptions): Call<PostponeCaseAnswer> {
    return this.client.json('POST', '/v2/cases/:case_id/postpone', {case_id: caseId}, input, options)
  }

  /** Only a case that you hold. It becomes pending again at its old position. Other cases are refused with 409. Needs the scope `queues:write`. */
  release(caseId: string, input?: ReleaseCaseInput, options?: CallOptions): Call<ReleaseCaseAnswer> {
    return this.client.json('POST', '/v2/cases/:case_id/release', {case_id: caseId}, input, options)
  }

  /** Deletes the cases with their timelines, whoever holds them. Runs that hold one of them are stopped; the runs stay. More than 10,000 matching cases are deleted in the background; cases that are added after the start are not affected. Needs the scope `queues:write`. */
  bulkDelete(queueId: string, input?: BulkDeleteCasesInput, options?: CallOptions): Call<BulkDeleteCasesAnswer> {
    return this.client.json('POST', '/v2/queues/:queue_id/cases/bulk-delete', {queue_id: queueId}, input, options)
  }

  /** The cases become pending again, whatever their status, and keep their count of attempts. A run that holds one of them is stopped first; cases that another member holds are skipped. More than 10,000 matching cases are changed in the background; cases that are added after the start are not affected. Needs the scope `queues:write`. */
  bulkReprocess(queueId: string, input?: BulkReprocessCasesInput, options?: CallOptions): Call<BulkReprocessCasesAnswer> {
    return this.client.json('POST', '/v2/queues/:queue_id/cases/bulk-reprocess', {queue_id: queueId}, input, options)
  }

  /** Sets the status, whatever it was. A run that holds one of the cases is stopped first; cases that another member holds are skipped. `pending` also ends a postponement. More than 10,000 matching cases are changed in the background; cases that are added after the start are not affected. Needs the scope `queues:write`. */
  bulkUpdateStatus(queueId: string, input: BulkUpdateCaseStatusInput, options?: CallOptions): Call<BulkUpdateCaseStatusAnswer> {
    return this.client.json('POST', '/v2/queues/:queue_id/cases/bulk-update-status', {queue_id: queueId}, input, options)
  }

  /** Sets the priority, whatever the status is and whoever holds the case. More than 10,000 matching cases are changed in the background; cases that are added after the start are not affected. Needs the scope `queues:write`. */
  bulkUpdatePriority(queueId: string, input: BulkUpdateCasePriorityInput, options?: CallOptions): Call<BulkUpdateCasePriorityAnswer> {
    return this.client.json('POST', '/v2/queues/:queue_id/cases/bulk-update-priority', {queue_id: queueId}, input, options)
  }

  /** The counts are those of the cases done so far. A bulk action is deleted with its queue, or 30 days after its end. Needs the scope `queues:read`. */
  getBulkAction(bulkActionId: string, options?: CallOptions): Call<GetBulkActionAnswer> {
    return this.client.json('GET', '/v2/bulk-actions/:bulk_action_id', {bulk_action_id: bulkActionId}, undefined, options)
  }

  /** Newest first: those that were left to the background, until 30 days after their end. Needs the scope `queues:read`. */
  listBulkActions(queueId: string, input?: ListBulkActionsInput, options?: CallOptions): List<ListBulkActionsAnswer['bulk_actions'][number], ListBulkActionsAnswer> {
    return this.client.list('GET', '/v2/queues/:queue_id/bulk-actions', {queue_id: queueId}, input, options, 'bulk_actions')
  }

  /** Cases that were changed by then stay changed; the others stay as they are. Waits for the step under way, so the counts of the answer are final. Refused with 409 if the action is over. Send the same bulk operation again to continue with the rest. Needs the scope `queues:write`. */
  stopBulkAction(bulkActionId: string, options?: CallOptions): Call<StopBulkActionAnswer> {
    return this.client.json('POST', '/v2/bulk-actions/:bulk_action_id/stop', {bulk_action_id: bulkActionId}, undefined, options)
  }

  /** A zip archive as getRunEvidence gives it, with the case and its runs, the first 200 of them. It needs the scopes of getRunEvidence too. Needs the scope `queues:read`. */
  evidence(caseId: string, input?: GetCaseEvidenceInput, options?: CallOptions): Call<FileAnswer> {
    return this.client.file('GET', '/v2/cases/:case_id/evidence', {case_id: caseId}, input, options)
  }
}

/** Which cases start runs of an agent. */
export class CaseTriggersGroup extends Group {
  /** List case triggers. Needs the scope `agents:read`. */
  list(agentId: string, options?: CallOptions): Call<ListAgentCaseTriggersAnswer> {
    return this.client.json('GET', '/v2/agents/:agent_id/case-triggers', {agent_id: agentId}, undefined, options)
  }

  /** Each case of the queue starts one run of the agent’s live build, in the order of the queue; cases that already wait start at once. An agent has at most one case trigger. Two triggers on one queue share its cases. Needs the scope `agents:write`. */
  create(agentId: string, input: CreateAgentCaseTriggerInput, options?: CallOptions): Call<CreateAgentCaseTriggerAnswer> {
    return this.client.json('POST', '/v2/agents/:agent_id/case-triggers', {agent_id: agentId}, input, options)
  }

  /** Before you make or change a trigger: which other agents have an enabled trigger on the same queue. Needs the scope `agents:read`. */
  previewConflicts(agentId: string, input?: PreviewAgentCaseTriggerConflictsInput, options?: CallOptions): Call<PreviewAgentCaseTriggerConflictsAnswer> {
    return this.client.json('GET', '/v2/agents/:agent_id/case-triggers/conflict-preview', {agent_id: agentId}, input, options)
  }

  /** Get a case trigger. Needs the scope `agents:read`. */
  get(agentId: string, caseTriggerId: string, options?: CallOptions): Call<GetAgentCaseTriggerAnswer> {
    return this.client.json('GET', '/v2/agents/:agent_id/case-triggers/:case_trigger_id', {agent_id: agentId, case_trigger_id: caseTriggerId}, undefined, options)
  }

  /** Only the given fields change. Runs in progress continue; the change applies to the cases that are dispatched next. Needs the scope `agents:write`. */
  update(agentId: string, caseTriggerId: string, input?: UpdateAgentCaseTriggerInput, options?: CallOptions): Call<UpdateAgentCaseTriggerAnswer> {
    return this.client.json('PATCH', '/v2/agents/:agent_id/case-triggers/:case_trigger_id', {agent_id: agentId, case_trigger_id: caseTriggerId}, input, options)
  }

  /** The agent gets no more cases. Runs in progress continue with theirs. Needs the scope `agents:write`. */
  delete(agentId: string, caseTriggerId: string, options?: CallOptions): Call<DeleteAgentCaseTriggerAnswer> {
    return this.client.json('DELETE', '/v2/agents/:agent_id/case-triggers/:case_trigger_id', {agent_id: agentId, case_trigger_id: caseTriggerId}, undefined, options)
  }
}

/** Accounts and MCP servers that agents may use. */
export class ConnectionsGroup extends Group {
  /** List connections. Needs the scope `connections:read`. */
  list(input?: ListConnectionsInput, options?: CallOptions): List<ListConnectionsAnswer['integrations'][number], ListConnectionsAnswer> {
    return this.client.list('GET', '/v2/teams/:teamId/connections', {}, input, options, 'integrations')
  }

  /** For MCP servers (`custom_mcp`) and HTTP APIs (`api`) that take a key or headers. What needs OAuth begins with startNativeOAuth or authorizeMcpOAuth. Nothing is called yet: testConnection does that. Needs the scope `connections:write`. */
  create(input: CreateConnectionInput, options?: CallOptions): Call<CreateConnectionAnswer> {
    return this.client.json('POST', '/v2/teams/:teamId/connections', {}, input, options)
  }

  /** Every provider of the table. An account can be connected where `is_configured` is true; for the others an operator makes an OAuth client at the provider, with `redirect_uri`, and sets `settings`. Needs the scope `connections:read`. */
  listProviders(options?: CallOptions): Call<ListConnectionProvidersAnswer> {
    return this.client.json('GET', '/v2/teams/:teamId/connections/providers', {}, undefined, options)
  }

  /** No operation returns the secrets of a connection. Needs the scope `connections:read`. */
  get(connectionId: string, options?: CallOptions): Call<GetConnectionAnswer> {
    return this.client.json('GET', '/v2/connections/:connection_id', {connection_id: connectionId}, undefined, options)
  }

  /** The names of the headers that are set, and whether there are OAuth tokens. No value of them leaves the server. Needs the scope `connections:read`. */
  getCredentials(connectionId: string, options?: CallOptions): Call<GetConnectionCredentialsAnswer> {
    return this.client.json('GET', '/v2/connections/:connection_id/credentials', {connection_id: connectionId}, undefined, options)
  }

  /** Only the given fields change. A new key or new headers replace all old ones, and runs that waited for the connection continue. Another `server_url` needs the credential again, so that nobody can have the old one sent elsewhere. For a connection with OAuth only the name, `shared` and `status` can change; the operation that made it authorises it again. Only its maker can change a private connection. Needs the scope `connections:write`. */
  update(connectionId: string, input?: UpdateConnectionInput, options?: CallOptions): Call<UpdateConnectionAnswer> {
    return this.client.json('PATCH', '/v2/connections/:connection_id', {connection_id: connectionId}, input, options)
  }

  /** It is gone at once, with its credential. Runs that waited for it continue and get an error. Builds keep the id, which no longer refers to anything. If the provider supports it, the tokens are revoked within moments. listConnectionDependents shows beforehand what uses it. Needs the scope `connections:write`. */
  delete(connectionId: string, options?: CallOptions): Call<DeleteConnectionAnswer> {
    return this.client.json('DELETE', '/v2/connections/:connection_id', {connection_id: connectionId}, undefined, options)
  }

  /** Calls the service: an MCP server lists its tools, a provider says whose account it is, an API is asked for its `server_url`. If the service refuses the token, it is renewed; if that fails, the connection needs a person. A key that works again makes the connection active again. Needs the scope `connections:write`. */
  test(connectionId: string, options?: CallOptions): Call<TestConnectionAnswer> {
    return this.client.json('POST', '/v2/connections/:connection_id/test', {connection_id: connectionId}, undefined, options)
  }

  /** At most 100 of each are listed; the totals count all. Needs the scope `connections:read`. */
  listDependents(connectionId: string, options?: CallOptions): Call<ListConnectionDependentsAnswer> {
    return this.client.json('GET', '/v2/connections/:connection_id/dependents', {connection_id: connectionId}, undefined, options)
  }

  /** Agents are shown a tool as it was approved. The tools that are listed first after a person made or authorised the connection count as approved; one that its server changed or added later requires approval for every call until approveConnectionTools approves it. Needs the scope `connections:read`. */
  listTools(connectionId: string, options?: CallOptions): Call<ListConnectionToolsAnswer> {
    return this.client.json('GET', '/v2/connections/:connection_id/tools', {connection_id: connectionId}, undefined, options)
  }

  /** From then on agents are shown these tools as they are now, and call them without asking. All are approved or none: a tool that has changed since it was read is a conflict. Needs the scope `connections:write`. */
  approveTools(connectionId: string, input: ApproveConnectionToolsInput, options?: CallOptions): Call<ApproveConnectionToolsAnswer> {
    return this.client.json('POST', '/v2/connections/:connection_id/tools/approve', {connection_id: connectionId}, input, options)
  }

  /** Answers with a URL at which the owner of the account agrees. The connection is made when their browser comes back to this server, once, within ten minutes. The key or client that began this must still be valid then. A provider’s name is also accepted without its hyphens: `googlesheets` for `google-sheets`. Needs the scope `connections:write`. */
  startNativeOAuth(provider: string, input?: StartNativeOAuthInput, options?: CallOptions): Call<StartNativeOAuthAnswer> {
    return this.client.json('POST', '/v2/teams/:teamId/connections/oauth/native/:provider/start', {provider}, input, options)
  }

  /** Asks the server and its authorization server for their metadata (RFC 9728, RFC 8414, OpenID discovery). Nothing is registered, authorised or stored. If the server cannot be asked, the answer says that it does not support OAuth, and `error` says why. Needs the scope `connections:write`. */
  checkMcpOAuth(input: CheckMcpOAuthInput, options?: CallOptions): Call<CheckMcpOAuthAnswer> {
    return this.client.json('POST', '/v2/connections/oauth/mcp/check', {}, input, options)
  }

  /** Answers with the URL at which the owner of the account agrees; the browser then comes back as with startNativeOAuth. Runyard is known to the authorization server by its client document, by a registration that is made once for the team, or by the client that is given. With `reconnect_connection_id` the same connection is authorised again, also for the scopes that a refused call asked for. Needs the scope `connections:write`. */
  authorizeMcpOAuth(input: AuthorizeMcpOAuthInput, options?: CallOptions): Call<AuthorizeMcpOAuthAnswer> {
    return this.client.json('POST', '/v2/teams/:teamId/connections/oauth/mcp/start', {}, input, options)
  }

  /** Lists the tools of a server with the key or headers that are given, as createConnection takes them. Nothing is stored. A server that cannot be used is not an error of the request: `success` is false and `error` says why. Needs the scope `connections:write`. */
  probeMcpServer(input: ProbeMcpServerInput, options?: CallOptions): Call<ProbeMcpServerAnswer> {
    return this.client.json('POST', '/v2/teams/:teamId/connections/mcp/probe', {}, input, options)
  }

  /** For a broker with Nango’s API, which the server’s settings name. The client went through OAuth there and sends the id of the connection; the broker is asked whether it is good. Where the broker says for which organisation it was made, that must be this team. Sending it again returns the same connection and reactivates it. Needs the scope `connections:write`. */
  finalizeThirdPartyOAuth(provider: string, input: FinalizeThirdPartyOAuthInput, options?: CallOptions): Call<FinalizeThirdPartyOAuthAnswer> {
    return this.client.json('POST', '/v2/teams/:teamId/connections/oauth/third-party/:provider/finalize', {provider}, input, options)
  }
}

/** Webhook deliveries, with every attempt. */
export class DeliveriesGroup extends Group {
  /** One for each event and each of its receivers, webhooks and callback URLs alike. The dead letters are those with `status=dead`. Needs the scope `webhooks:manage`. */
  list(input?: ListWebhookDeliveriesInput, options?: CallOptions): List<ListWebhookDeliveriesAnswer['deliveries'][number], ListWebhookDeliveriesAnswer> {
    return this.client.list('GET', '/v2/teams/:teamId/webhook-deliveries', {}, input, options, 'deliveries')
  }

  /** With its attempts: when, how long, what the receiver answered or where it failed. The newest 100 are stored. Needs the scope `webhooks:manage`. */
  get(deliveryId: string, options?: CallOptions): Call<GetWebhookDeliveryAnswer> {
    return this.client.json('GET', '/v2/webhook-deliveries/:delivery_id', {delivery_id: deliveryId}, undefined, options)
  }

  /** The body of its request, which is the same at every attempt. Each attempt has its own signature, which is not part of it. A credential must be able to read the event that the delivery sends. Needs the scope `webhooks:manage`. */
  getRequest(deliveryId: string, options?: CallOptions): Call<GetWebhookDeliveryRequestAnswer> {
    return this.client.json('GET', '/v2/webhook-deliveries/:delivery_id/request', {delivery_id: deliveryId}, undefined, options)
  }

  /** Sends the same id and the same body again, after new events, with all the attempts of a first delivery. Only for a delivery that is `delivered` or `dead`. A credential must be able to read the event that the delivery sends, as must the one that set the `url` or `events` of the webhook. Needs the scope `webhooks:manage`. */
  replay(deliveryId: string, options?: CallOptions): Call<ReplayWebhookDeliveryAnswer> {
    return this.client.json('POST', '/v2/webhook-deliveries/:delivery_id/replay', {delivery_id: deliveryId}, undefined, options)
  }

  /** Every webhook, and the callback URLs with deliveries among the newest 5,000 of the team or with trouble: at most 200, those with trouble first. `delivered` and `failed` count deliveries among the newest 5,000: accepted, and tried without success. Needs the scope `webhooks:manage`. */
  listTargets(options?: CallOptions): Call<ListDeliveryTargetsAnswer> {
    return this.client.json('GET', '/v2/teams/:teamId/delivery-targets', {}, undefined, options)
  }
}

/** How good runs were, by rubrics, and which builds may become live. */
export class EvaluationsGroup extends Group {
  /** The latest one; `data` is null while the run has none. A run is evaluated soon after each of its ends, and when somebody asks. Needs the scope `evals:read`. */
  get(agentId: string, runId: string, options?: CallOptions): Call<GetRunEvaluationAnswer> {
    return this.client.json('GET', '/v2/agent/:agentId/runs/:runId/evaluation', {agentId, runId}, undefined, options)
  }

  /** Uses the rubrics that are active for its build now. If a requested evaluation is in progress, that one is returned. getRunEvaluation shows its state. Needs the scope `evals:write`. */
  evaluate(agentId: string, runId: string, options?: CallOptions): Call<EvaluateRunAnswer> {
    return this.client.json('POST', '/v2/agent/:agentId/runs/:runId/evaluation', {agentId, runId}, undefined, options)
  }

  /** Each run counts once, by its latest finished evaluation and on the day (UTC) on which it ended. `with_issues`: something did not pass. `flag_distribution` has the flags that did not pass, most frequent first, each with the number of runs. Needs the scope `evals:read`. */
  scores(agentId: string, input?: GetEvalScoresInput, options?: CallOptions): Call<GetEvalScoresAnswer> {
    return this.client.json('GET', '/v2/agent/:agentId/eval-scores', {agentId}, input, options)
  }

  /** The builds of the agent, newest first, as listAgentRevisions gives them, so that the same `limit` and `offset` give the same page. Needs the scope `evals:read`. */
  buildScores(agentId: string, input?: ListBuildScoresInput, options?: CallOptions): List<ListBuildScoresAnswer['build_scores'][number], ListBuildScoresAnswer> {
    return this.client.list('GET', '/v2/agents/:agent_id/build-scores', {agent_id: agentId}, input, options, 'build_scores')
  }

  /** The worst first, and of equal ones the latest. Of the time asked for, the latest 5000 evaluated runs are looked at; `total` counts those of them that fit. Needs the scope `evals:read`. */
  listRuns(agentId: string, input?: ListEvaluatedRunsInput, options?: CallOptions): List<ListEvaluatedRunsAnswer['evaluated_runs'][number], ListEvaluatedRunsAnswer> {
    return this.client.list('GET', '/v2/agents/:agent_id/evaluated-runs', {agent_id: agentId}, input, options, 'evaluated_runs')
  }

  /** Newest first, at most 500. Needs the scope `evals:read`. */
  listMarks(runId: string, options?: CallOptions): Call<ListRunMarksAnswer> {
    return this.client.json('GET', '/v2/runs/:run_id/marks', {run_id: runId}, undefined, options)
  }

  /** Whether the run went well, in your own judgement. Each member has one mark for a run. Marks change no evaluation and no score: getMarkAgreement holds the two against each other. Needs the scope `evals:write`. */
  mark(runId: string, input: PutRunMarkInput, options?: CallOptions): Call<PutRunMarkAnswer> {
    return this.client.json('PUT', '/v2/runs/:run_id/mark', {run_id: runId}, input, options)
  }

  /** Marks of others stay. Without a mark of yours nothing changes. Needs the scope `evals:write`. */
  unmark(runId: string, options?: CallOptions): Call<undefined> {
    return this.client.json('DELETE', '/v2/runs/:run_id/mark', {run_id: runId}, undefined, options)
  }

  /** The latest 10000 marks of the agent’s runs, each beside the latest finished evaluation of its run. They agree if a good run had no issue or a bad run had one. `agreement` is the share that agrees, null without a marked run that is evaluated. `disagreements` lists the latest 20: there a check or a rubric may be wrong. Needs the scope `evals:read`. */
  markAgreement(agentId: string, input?: GetMarkAgreementInput, options?: CallOptions): Call<GetMarkAgreementAnswer> {
    return this.client.json('GET', '/v2/agents/:agent_id/mark-agreement', {agent_id: agentId}, input, options)
  }

  /** The active rubrics; empty for a build of another agent. Needs the scope `evals:read`. */
  listRubrics(agentId: string, input?: GetEvalRubricsInput, options?: CallOptions): Call<GetEvalRubricsAnswer> {
    return this.client.json('GET', '/v2/agents/:agentId/eval-rubrics', {agentId}, input, options)
  }

  /** Runs of the build that end from now on are judged by it too, and copies of the build have it as well. A build has at most five rubrics. Needs the scope `evals:write`. */
  createRubric(agentId: string, input: CreateEvalRubricInput, options?: CallOptions): Call<CreateEvalRubricAnswer> {
    return this.client.json('POST', '/v2/agents/:agentId/eval-rubrics', {agentId}, input, options)
  }

  /** The given rubrics, in their order, replace all others. A rubric with the same title, description and severity as before stays the same rubric; any other is a new one. A build has at most five. Needs the scope `evals:write`. */
  replaceRubrics(agentId: string, input: ReplaceEvalRubricsInput, options?: CallOptions): Call<ReplaceEvalRubricsAnswer> {
    return this.client.json('PUT', '/v2/agents/:agentId/eval-rubrics', {agentId}, input, options)
  }

  /** A new rubric, with an id and a slug of its own, replaces the old one; old results stay. If only `sort_order` changes, the rubric stays the same. Needs the scope `evals:write`. */
  updateRubric(agentId: string, rubricId: string, input?: UpdateEvalRubricInput, options?: CallOptions): Call<UpdateEvalRubricAnswer> {
    return this.client.json('PATCH', '/v2/agents/:agentId/eval-rubrics/:rubric_id', {agentId, rubric_id: rubricId}, input, options)
  }

  /** Later runs are not judged by it. Results that exist stay, and count in scores. Needs the scope `evals:write`. */
  deleteRubric(agentId: string, rubricId: string, options?: CallOptions): Call<undefined> {
    return this.client.json('DELETE', '/v2/agents/:agentId/eval-rubrics/:rubric_id', {agentId, rubric_id: rubricId}, undefined, options)
  }

  /** `promotion_gate` is null while the agent has none: then every build may become live. Needs the scope `evals:read`. */
  getPromotionGate(agentId: string, options?: CallOptions): Call<GetPromotionGateAnswer> {
    return this.client.json('GET', '/v2/agents/:agent_id/promotion-gate', {agent_id: agentId}, undefined, options)
  }

  /** From now on promoteRevision refuses a build (409 `gate_not_met`) whose latest `last_runs` evaluated runs score below `min_score`, or that has fewer of them, unless `force_reason` is given. The score is the mean share of checks that passed. `min_score: null` removes the gate. Needs the scope `evals:write`. */
  putPromotionGate(agentId: string, input: PutPromotionGateInput, options?: CallOptions): Call<PutPromotionGateAnswer> {
    return this.client.json('PUT', '/v2/agents/:agent_id/promotion-gate', {agent_id: agentId}, input, options)
  }
}

/** Rules of a team above all of its agents, and what they stopped. */
export class GuardrailsGroup extends Group {
  /** Rules above all agents of the team, whatever their builds say. `today` is what the team did since the beginning of this day (UTC); calls that leave the service are counted only while `outside_calls_per_day` bounds them. Needs the scope `team:read`. */
  get(options?: CallOptions): Call<GetGuardrailsAnswer> {
    return this.client.json('GET', '/v2/teams/:teamId/guardrails', {}, undefined, options)
  }

  /** Replaces all rules by these: a new version, live in every process within about a second, also for the next calls of runs under way. Rules only narrow what builds allow. Rules that are live already make no new version. Start a dry run first to see what they would have stopped. Needs the scope `keys:manage`. */
  set(input: SetGuardrailsInput, options?: CallOptions): Call<SetGuardrailsAnswer> {
    return this.client.json('PUT', '/v2/teams/:teamId/guardrails', {}, input, options)
  }

  /** Newest first; the first one is live. Each has its rules whole, who made it, and why. Needs the scope `team:read`. */
  listVersions(input?: ListGuardrailVersionsInput, options?: CallOptions): List<ListGuardrailVersionsAnswer['versions'][number], ListGuardrailVersionsAnswer> {
    return this.client.list('GET', '/v2/teams/:teamId/guardrails/versions', {}, input, options, 'versions')
  }

  /** The rules of that version become a new version, which is live at once. The history stays as it is. Needs the scope `keys:manage`. */
  restore(input: RestoreGuardrailsInput, options?: CallOptions): Call<RestoreGuardrailsAnswer> {
    return this.client.json('POST', '/v2/teams/:teamId/guardrails/restore', {}, input, options)
  }

  /** Judges what the team’s runs did in the last 30 days by these rules, without changing anything. Read it until its status is `done`. Runs are judged one after the other, in the order of their starts, as the live rules would have judged them: after a call that would have been refused, nothing more of that run counts, and after a call that would have waited, its later calls count as made when the wait would have ended. Needs the scope `keys:manage`. */
  startDryRun(input: StartGuardrailDryRunInput, options?: CallOptions): Call<StartGuardrailDryRunAnswer> {
    return this.client.json('POST', '/v2/teams/:teamId/guardrails/dry-runs', {}, input, options)
  }

  /** Its report is there when its status is `done`. Dry runs are kept for 30 days. Needs the scope `runs:read`. */
  getDryRun(dryRunId: string, options?: CallOptions): Call<GetGuardrailDryRunAnswer> {
    return this.client.json('GET', '/v2/teams/:teamId/guardrails/dry-runs/:dry_run_id', {dry_run_id: dryRunId}, undefined, options)
  }

  /** Calls of runs, newest first, one entry for each call and rule; kept for 90 days, or as long as the log of the run. Starts that were refused are in the audit log, with the error `guardrail_reached`. Needs the scope `runs:read`. */
  listStops(input?: ListGuardrailStopsInput, options?: CallOptions): List<ListGuardrailStopsAnswer['stops'][number], ListGuardrailStopsAnswer> {
    return this.client.list('GET', '/v2/teams/:teamId/guardrails/stops', {}, input, options, 'stops')
  }
}

/** Approvals, questions and forms that runs wait for. */
export class HumanRequestsGroup extends Group {
  /** The inbox: pending requests, the longest waiting first. With another `status`, or `all`, the newest comes first; with `closed` (answered, cancelled or expired) what was closed last. With `sort=deadline`, which only pending requests have, what expires first comes first, then what waits longest; requests without a deadline come last. Each comes with the run that asks and with what each answer leads to. Needs the scope `runs:read`. */
  list(input?: ListHumanRequestsInput, options?: CallOptions): List<ListHumanRequestsAnswer['human_requests'][number], ListHumanRequestsAnswer> {
    return this.client.list('GET', '/v2/teams/:teamId/human-requests', {}, input, options, 'human_requests')
  }

  /** The pending requests of the inbox by type and by whom they are assigned to, with the next deadline. Needs the scope `runs:read`. */
  counts(options?: CallOptions): Call<GetHumanRequestCountsAnswer> {
    return this.client.json('GET', '/v2/teams/:teamId/human-request-counts', {}, undefined, options)
  }

  /** The request whole, with the run that asks and, while it is pending, what each answer leads to. `status` is the run’s. Needs the scope `runs:read`. */
  get(requestId: string, options?: CallOptions): Call<GetHumanRequestAnswer> {
    return this.client.json('GET', '/v2/human-requests/:request_id', {request_id: requestId}, undefined, options)
  }

  /** Which field counts depends on the type: `approved` for an approval, `answers` for questions, `values` for a form, `done` for a login. Of several answers the first one counts; the others get a 409. An approval counts for exactly the action shown. Where `approvals_needed` is 2, the request stays pending after the first approval, and another person must give the second; one rejection closes it. Until then withdrawApproval takes an approval back. Needs the scope `approvals:write`. */
  respond(runId: string, requestId: string, input?: RespondToHumanRequestInput, options?: CallOptions): Call<RespondToHumanRequestAnswer> {
    return this.client.json('POST', '/v2/runs/:run_id/human-requests/:request_id/respond', {run_id: runId, request_id: requestId}, input, options)
  }

  /** For a request with `approvals_needed` 2 that one person has approved: that person takes the approval back, and two people must approve again. When the second has approved, the request is closed and nothing can be taken back. To end the request instead, reject it. Needs the scope `approvals:write`. */
  withdraw(runId: string, requestId: string, options?: CallOptions): Call<WithdrawApprovalAnswer> {
    return this.client.json('POST', '/v2/runs/:run_id/human-requests/:request_id/withdraw', {run_id: runId, request_id: requestId}, undefined, options)
  }

  /** Puts the request into the inbox of a member. Others can still answer it. There is no event for it. Needs the scope `runs:write`. */
  assign(runId: string, requestId: string, input: AssignHumanRequestInput, options?: CallOptions): Call<AssignHumanRequestAnswer> {
    return this.client.json('POST', '/v2/runs/:run_id/human-requests/:request_id/assign', {run_id: runId, request_id: requestId}, input, options)
  }

  /** The call that waits for it gets an error that says so, and the run continues. There is no event for it. Needs the scope `runs:write`. */
  cancel(runId: string, requestId: string, options?: CallOptions): Call<CancelHumanRequestAnswer> {
    return this.client.json('POST', '/v2/runs/:run_id/human-requests/:request_id/cancel', {run_id: runId, request_id: requestId}, undefined, options)
  }
}

/** Labels of cases. */
export class LabelsGroup extends Group {
  /** List labels. Needs the scope `queues:read`. */
  list(queueId: string, input?: ListLabelsInput, options?: CallOptions): List<ListLabelsAnswer['labels'][number], ListLabelsAnswer> {
    return this.client.list('GET', '/v2/queues/:queue_id/labels', {queue_id: queueId}, input, options, 'labels')
  }

  /** Make a label. Needs the scope `queues:write`. */
  create(queueId: string, input: CreateLabelInput, options?: CallOptions): Call<CreateLabelAnswer> {
    return this.client.json('POST', '/v2/queues/:queue_id/labels', {queue_id: queueId}, input, options)
  }

  /** Only the given fields change. A new key or value leaves the colour as it is. Needs the scope `queues:write`. */
  update(queueId: string, labelId: string, input?: UpdateLabelInput, options?: CallOptions): Call<UpdateLabelAnswer> {
    return this.client.json('PATCH', '/v2/queues/:queue_id/labels/:label_id', {queue_id: queueId, label_id: labelId}, input, options)
  }

  /** The label disappears from all cases. If many cases had it, their timelines show that a little later. Needs the scope `queues:write`. */
  delete(queueId: string, labelId: string, options?: CallOptions): Call<DeleteLabelAnswer> {
    return this.client.json('DELETE', '/v2/queues/:queue_id/labels/:label_id', {queue_id: queueId, label_id: labelId}, undefined, options)
  }

  /** List the labels of a case. Needs the scope `queues:read`. */
  listOfCase(queueId: string, caseId: string, options?: CallOptions): Call<ListCaseLabelsAnswer> {
    return this.client.json('GET', '/v2/queues/:queue_id/cases/:case_id/labels', {queue_id: queueId, case_id: caseId}, undefined, options)
  }

  /** Give either `label_ids`, or `labels` by key and value; labels that the queue does not have are made. Answers with all labels of the case, at most 100. Needs the scope `queues:write`. */
  link(queueId: string, caseId: string, input?: LinkCaseLabelsInput, options?: CallOptions): Call<LinkCaseLabelsAnswer> {
    return this.client.json('POST', '/v2/queues/:queue_id/cases/:case_id/labels', {queue_id: queueId, case_id: caseId}, input, options)
  }

  /** Labels that the case does not have are ignored. Answers with the labels that it still has. Needs the scope `queues:write`. */
  unlink(queueId: string, caseId: string, input: UnlinkCaseLabelsInput, options?: CallOptions): Call<UnlinkCaseLabelsAnswer> {
    return this.client.json('POST', '/v2/queues/:queue_id/cases/:case_id/labels/unlink', {queue_id: queueId, case_id: caseId}, input, options)
  }
}

/** User names and passwords that the browser fills in. */
export class LoginsGroup extends Group {
  /** Their domains and user names; no password and no seed is ever shown. Needs the scope `agents:read`. */
  list(input?: ListLoginsInput, options?: CallOptions): List<ListLoginsAnswer['logins'][number], ListLoginsAnswer> {
    return this.client.list('GET', '/v2/teams/:teamId/logins', {}, input, options, 'logins')
  }

  /** Runs of builds that name it in `data.logins`, by its id or its domain, have the tool `browser_login`, which fills it into a page of that domain alone. The model never sees it, and pictures have its fields masked. Needs the scope `secrets:write`. */
  create(input: CreateLoginInput, options?: CallOptions): Call<CreateLoginAnswer> {
    return this.client.json('POST', '/v2/teams/:teamId/logins', {}, input, options)
  }

  /** Get a login. Needs the scope `agents:read`. */
  get(loginId: string, options?: CallOptions): Call<GetLoginAnswer> {
    return this.client.json('GET', '/v2/logins/:login_id', {login_id: loginId}, undefined, options)
  }

  /** Only the given fields change; `otp_secret: null` removes the seed. Another `domain` needs the password again, so that nobody can have the old one filled in elsewhere. Only its maker can change a private login. Needs the scope `secrets:write`. */
  update(loginId: string, input?: UpdateLoginInput, options?: CallOptions): Call<UpdateLoginAnswer> {
    return this.client.json('PATCH', '/v2/logins/:login_id', {login_id: loginId}, input, options)
  }

  /** It is gone at once, with its password. The answer lists the agents that used it. listLoginDependents shows them beforehand. Needs the scope `secrets:write`. */
  delete(loginId: string, options?: CallOptions): Call<DeleteLoginAnswer> {
    return this.client.json('DELETE', '/v2/logins/:login_id', {login_id: loginId}, undefined, options)
  }

  /** List what depends on a login. Needs the scope `agents:read`. */
  listDependents(loginId: string, options?: CallOptions): Call<ListLoginDependentsAnswer> {
    return this.client.json('GET', '/v2/logins/:login_id/dependents', {login_id: loginId}, undefined, options)
  }
}

/** The API as tools of the Model Context Protocol. */
export class McpGroup extends Group {

}

/** The people of a team. */
export class MembersGroup extends Group {
  /** List members. Needs the scope `team:read`. */
  list(input?: ListMembersInput, options?: CallOptions): List<ListMembersAnswer['members'][number], ListMembersAnswer> {
    return this.client.list('GET', '/v2/teams/:teamId/members', {}, input, options, 'members')
  }

  /** Adds a person; API keys made for them carry their id as the `user_id` of what those keys do. An `email` needs every scope of the role, because it is a way to sign in. Needs the scope `keys:manage`. */
  create(input: CreateMemberInput, options?: CallOptions): Call<CreateMemberAnswer> {
    return this.client.json('POST', '/v2/teams/:teamId/members', {}, input, options)
  }

  /** A new role counts for all of the member’s credentials within a second, and cannot give any of them a scope that your credential lacks. A new `email` needs every scope of the role, because it is a way to sign in. A team keeps at least one admin. Needs the scope `keys:manage`. */
  update(memberId: string, input?: UpdateMemberInput, options?: CallOptions): Call<UpdateMemberAnswer> {
    return this.client.json('PATCH', '/v2/teams/:teamId/members/:member_id', {member_id: memberId}, input, options)
  }

  /** All API keys, OAuth clients and sessions of the member stop working. A team keeps at least one admin. Needs the scope `keys:manage`. */
  delete(memberId: string, options?: CallOptions): Call<DeleteMemberAnswer> {
    return this.client.json('DELETE', '/v2/teams/:teamId/members/:member_id', {member_id: memberId}, undefined, options)
  }
}

/** Files that an agent keeps between its runs. */
export class MemoryGroup extends Group {
  /** All files, by path; an agent has at most 1000. Needs the scope `agents:read`. */
  list(agentId: string, options?: CallOptions): Call<ListAgentMemoryFilesAnswer> {
    return this.client.json('GET', '/v2/agents/:agent_id/memory/files', {agent_id: agentId}, undefined, options)
  }

  /** Read a memory file. Needs the scope `agents:read`. */
  get(agentId: string, path: string, options?: CallOptions): Call<GetAgentMemoryFileAnswer> {
    return this.client.json('GET', '/v2/agents/:agent_id/memory/files/:path+', {agent_id: agentId, path}, undefined, options)
  }

  /** Makes the file or replaces its content, and raises its generation by one. Generations of a path never repeat, even after the file was deleted, so an old `expected_generation` never fits a new file. A file has at most 256 KiB, an agent at most 1000 files and 16 MiB. Needs the scope `agents:write`. */
  put(agentId: string, path: string, input: PutAgentMemoryFileInput, options?: CallOptions): Call<PutAgentMemoryFileAnswer> {
    return this.client.json('PUT', '/v2/agents/:agent_id/memory/files/:path+', {agent_id: agentId, path}, input, options)
  }

  /** Delete a memory file. Needs the scope `agents:write`. */
  delete(agentId: string, path: string, input?: DeleteAgentMemoryFileInput, options?: CallOptions): Call<DeleteAgentMemoryFileAnswer> {
    return this.client.json('DELETE', '/v2/agents/:agent_id/memory/files/:path+', {agent_id: agentId, path}, input, options)
  }
}

/** A team’s own keys of providers of models. */
export class ModelKeysGroup extends Group {
  /** At most one for each provider. A provider without one is asked with the server’s key, where it has one. Needs the scope `keys:manage`. */
  list(options?: CallOptions): Call<ListModelKeysAnswer> {
    return this.client.json('GET', '/v2/teams/:teamId/model-keys', {}, undefined, options)
  }

  /** From now on the team’s runs, builder runs and judgements ask this provider with the team’s own key instead of the server’s. The provider is asked first which models there are, which costs nothing; a key that it does not take is not saved. A team has one key for each provider: a new one replaces it. Needs the scope `keys:manage`. */
  create(input: CreateModelKeyInput, options?: CallOptions): Call<CreateModelKeyAnswer> {
    return this.client.json('POST', '/v2/teams/:teamId/model-keys', {}, input, options)
  }

  /** The new key is tested like a first one, and used within a second by runs under way too. A new `base_url` needs the key again: a key goes nowhere that its giver did not name. Needs the scope `keys:manage`. */
  update(modelKeyId: string, input?: UpdateModelKeyInput, options?: CallOptions): Call<UpdateModelKeyAnswer> {
    return this.client.json('PATCH', '/v2/teams/:teamId/model-keys/:model_key_id', {model_key_id: modelKeyId}, input, options)
  }

  /** Within a second the provider is asked with the server’s key again; without one, its models cannot be used. Needs the scope `keys:manage`. */
  delete(modelKeyId: string, options?: CallOptions): Call<DeleteModelKeyAnswer> {
    return this.client.json('DELETE', '/v2/teams/:teamId/model-keys/:model_key_id', {model_key_id: modelKeyId}, undefined, options)
  }

  /** Asks the provider which models there are, which costs nothing. What it said is kept as `problem` of the key. Needs the scope `keys:manage`. */
  test(modelKeyId: string, options?: CallOptions): Call<TestModelKeyAnswer> {
    return this.client.json('POST', '/v2/teams/:teamId/model-keys/:model_key_id/test', {model_key_id: modelKeyId}, undefined, options)
  }
}

/** Which models a team’s agents may use, and its default. */
export class ModelSettingsGroup extends Group {
  /** Which models the team’s agents may use, what they use where they name none, and whose key each provider is asked with. Needs the scope `team:read`. */
  get(options?: CallOptions): Call<GetModelSettingsAnswer> {
    return this.client.json('GET', '/v2/teams/:teamId/model-settings', {}, undefined, options)
  }

  /** Only the given fields change. Builds that name a model which is not allowed cannot be saved, and their runs take the next model of their list or fail; that counts within a second, for runs under way from their next claim on. The default must be allowed. Needs the scope `keys:manage`. */
  update(input?: UpdateModelSettingsInput, options?: CallOptions): Call<UpdateModelSettingsAnswer> {
    return this.client.json('PATCH', '/v2/teams/:teamId/model-settings', {}, input, options)
  }
}

/** What you are notified of, by mail and by your browsers. */
export class NotificationsGroup extends Group {
  /** What you want to be notified of, by mail and by your browsers, and whether mails reach you. Needs the scope `team:read`. */
  get(options?: CallOptions): Call<GetNotificationsAnswer> {
    return this.client.json('GET', '/v2/profile/notifications', {}, undefined, options)
  }

  /** Only the given fields change. News that already waits follows the new settings. Needs the scope `team:read`. */
  update(input?: UpdateNotificationsInput, options?: CallOptions): Call<UpdateNotificationsAnswer> {
    return this.client.json('PATCH', '/v2/profile/notifications', {}, input, options)
  }

  /** The mail is sent by a worker a moment later; `listMails` says what became of it. At most five an hour. Needs the scope `team:read`. */
  test(options?: CallOptions): Call<SendTestMailAnswer> {
    return this.client.json('POST', '/v2/profile/notifications/test', {}, undefined, options)
  }

  /** Mails of the last 30 days, newest first, with how far each has come. Needs the scope `team:read`. */
  mails(input?: ListMailsInput, options?: CallOptions): List<ListMailsAnswer['mails'][number], ListMailsAnswer> {
    return this.client.list('GET', '/v2/profile/mails', {}, input, options, 'mails')
  }

  /** Sends a link to your address, which is valid for a day. Nothing else is mailed to an address before it is confirmed. At most five an hour. Needs the scope `team:read`. */
  requestConfirmation(options?: CallOptions): Call<RequestEmailConfirmationAnswer> {
    return this.client.json('POST', '/v2/profile/email/confirmation', {}, undefined, options)
  }

  /** Takes the token of a confirmation mail, from the same member and while the address is still theirs. Needs the scope `team:read`. */
  confirm(input: ConfirmEmailInput, options?: CallOptions): Call<ConfirmEmailAnswer> {
    return this.client.json('POST', '/v2/profile/email/confirm', {}, input, options)
  }
}

/** OAuth clients with which programs sign in. */
export class OauthClientsGroup extends Group {
  /** List OAuth clients. Needs the scope `keys:manage`. */
  list(input?: ListOauthClientsInput, options?: CallOptions): List<ListOauthClientsAnswer['oauth_clients'][number], ListOauthClientsAnswer> {
    return this.client.list('GET', '/v2/teams/:teamId/oauth-clients', {}, input, options, 'oauth_clients')
  }

  /** For the client-credentials grant at POST /oauth/token. The secret is in this answer alone. The client ends with the credential that makes it, and its tokens with the client. Needs the scope `keys:manage`. */
  create(input?: CreateOauthClientInput, options?: CallOptions): Call<CreateOauthClientAnswer> {
    return this.client.json('POST', '/v2/teams/:teamId/oauth-clients', {}, input, options)
  }

  /** Delete an OAuth client. Needs the scope `keys:manage`. */
  delete(clientId: string, options?: CallOptions): Call<DeleteOauthClientAnswer> {
    return this.client.json('DELETE', '/v2/oauth-clients/:client_id', {client_id: clientId}, undefined, options)
  }
}

/** Tool sets that agents may use. */
export class PluginsGroup extends Group {
  /** The tool sets that an agent’s config may name under `plugins`, each with the tools this server can run. Needs the scope `team:read`. */
  list(options?: CallOptions): Call<ListPluginCatalogAnswer> {
    return this.client.json('GET', '/v2/plugins/catalog', {}, undefined, options)
  }
}

/** Queues of cases for agents and people. */
export class QueuesGroup extends Group {
  /** The counts are exact. Needs the scope `queues:read`. */
  list(input?: ListQueuesInput, options?: CallOptions): List<ListQueuesAnswer['queues'][number], ListQueuesAnswer> {
    return this.client.list('GET', '/v2/teams/:teamId/queues', {}, input, options, 'queues')
  }

  /** A queue holds cases until a run or a person takes them. Give an agent a case trigger on it, and each case starts a run. Needs the scope `queues:write`. */
  create(input: CreateQueueInput, options?: CallOptions): Call<CreateQueueAnswer> {
    return this.client.json('POST', '/v2/teams/:teamId/queues', {}, input, options)
  }

  /** The counts are exact. Needs the scope `queues:read`. */
  get(queueId: string, options?: CallOptions): Call<GetQueueAnswer> {
    return this.client.json('GET', '/v2/queues/:queue_id', {queue_id: queueId}, undefined, options)
  }

  /** Only the given fields change. A lower `concurrency` stops no run; it counts for the cases that are dispatched next. Needs the scope `queues:write`. */
  update(queueId: string, input?: UpdateQueueInput, options?: CallOptions): Call<UpdateQueueAnswer> {
    return this.client.json('PATCH', '/v2/queues/:queue_id', {queue_id: queueId}, input, options)
  }

  /** Stops its active runs and deletes its cases, labels and case triggers. Its name is free at once, and the runs stay readable. Needs the scope `queues:write`. */
  delete(queueId: string, options?: CallOptions): Call<DeleteQueueAnswer> {
    return this.client.json('DELETE', '/v2/queues/:queue_id', {queue_id: queueId}, undefined, options)
  }

  /** Consumers are agents with a case trigger on the queue. Producers are agents whose runs added cases to it, or whose live procedure has a block that does. `problems`: `multiple_triggers` if several enabled triggers share the cases, `producer_consumer_mix` if an agent works on cases that it adds itself. Needs the scope `queues:read`. */
  listAgents(queueId: string, options?: CallOptions): Call<ListQueueAgentsAnswer> {
    return this.client.json('GET', '/v2/queues/:queue_id/agents', {queue_id: queueId}, undefined, options)
  }

  /** Says whether cases are dispatched to agents now, and if not, every reason why, with the facts: triggers, live builds, concurrency, slots of the team, monthly limits, guardrails of the team, and runs of its cases that wait for a connection or because of a guardrail. Needs the scope `queues:read`. */
  explain(queueId: string, options?: CallOptions): Call<ExplainQueueAnswer> {
    return this.client.json('GET', '/v2/queues/:queue_id/why', {queue_id: queueId}, undefined, options)
  }
}

/** Recorded runs, and builds that are replayed against them before they become live. */
export class ReplaysGroup extends Group {
  /** By name. Needs the scope `evals:read`. */
  listSets(agentId: string, input?: ListReplaySetsInput, options?: CallOptions): List<ListReplaySetsAnswer['replay_sets'][number], ListReplaySetsAnswer> {
    return this.client.list('GET', '/v2/agents/:agent_id/replay-sets', {agent_id: agentId}, input, options, 'replay_sets')
  }

  /** Add recordings of runs to it with addRecordings. An agent has at most 20 sets. Needs the scope `evals:write`. */
  createSet(agentId: string, input: CreateReplaySetInput, options?: CallOptions): Call<CreateReplaySetAnswer> {
    return this.client.json('POST', '/v2/agents/:agent_id/replay-sets', {agent_id: agentId}, input, options)
  }

  /** Get a replay set. Needs the scope `evals:read`. */
  getSet(replaySetId: string, options?: CallOptions): Call<GetReplaySetAnswer> {
    return this.client.json('GET', '/v2/replay-sets/:replay_set_id', {replay_set_id: replaySetId}, undefined, options)
  }

  /** Rename a replay set. Needs the scope `evals:write`. */
  updateSet(replaySetId: string, input: UpdateReplaySetInput, options?: CallOptions): Call<UpdateReplaySetAnswer> {
    return this.client.json('PATCH', '/v2/replay-sets/:replay_set_id', {replay_set_id: replaySetId}, input, options)
  }

  /** Its recordings and all replays against it go with it, also those that run. A set that the replay gate of its agent asks for is not deleted (409): change the gate first. Needs the scope `evals:write`. */
  deleteSet(replaySetId: string, options?: CallOptions): Call<DeleteReplaySetAnswer> {
    return this.client.json('DELETE', '/v2/replay-sets/:replay_set_id', {replay_set_id: replaySetId}, undefined, options)
  }

  /** The latest runs first. Needs the scope `evals:read`. */
  listRecordings(replaySetId: string, input?: ListRecordingsInput, options?: CallOptions): List<ListRecordingsAnswer['recordings'][number], ListRecordingsAnswer> {
    return this.client.list('GET', '/v2/replay-sets/:replay_set_id/recordings', {replay_set_id: replaySetId}, input, options, 'recordings')
  }

  /** Give either `run_ids`, or `last` for the latest runs of the agent that completed or failed. What a replay needs of each run is copied. The copy stays when the run’s log is erased after its time, and is deleted with the run. A run that cannot be recorded is skipped with the reason. A set has at most 1000 recordings and 128 MiB. One request reads about 64 MiB of logs: runs that do not fit are skipped with that reason, for another request. Recordings count as storage of the team, and what does not fit there is skipped too. Needs the scope `evals:write`. */
  addRecordings(replaySetId: string, input?: AddRecordingsInput, options?: CallOptions): Call<AddRecordingsAnswer> {
    return this.client.json('POST', '/v2/replay-sets/:replay_set_id/recordings', {replay_set_id: replaySetId}, input, options)
  }

  /** The run itself stays. Reports of replays keep their figures. Needs the scope `evals:write`. */
  deleteRecording(recordingId: string, options?: CallOptions): Call<DeleteRecordingAnswer> {
    return this.client.json('DELETE', '/v2/recordings/:recording_id', {recording_id: recordingId}, undefined, options)
  }

  /** Every recording of the set is replayed with the build as it is now. A runbook needs no model; any other build’s model answers live, and is paid for: `max_cost_usd` bounds that. Tools and people answer from the record, and a call that is not in it is a finding and is never made. A team has at most 5 replays under way, and an agent keeps its latest 50. Reports count as storage of the team; one that does not fit is left out, and its figures stay. Needs the scope `evals:write`. */
  start(replaySetId: string, input?: StartReplayInput, options?: CallOptions): Call<StartReplayAnswer> {
    return this.client.json('POST', '/v2/replay-sets/:replay_set_id/replays', {replay_set_id: replaySetId}, input, options)
  }

  /** Newest first. Needs the scope `evals:read`. */
  list(agentId: string, input?: ListReplaysInput, options?: CallOptions): List<ListReplaysAnswer['replays'][number], ListReplaysAnswer> {
    return this.client.list('GET', '/v2/agents/:agent_id/replays', {agent_id: agentId}, input, options, 'replays')
  }

  /** Get a replay. Needs the scope `evals:read`. */
  get(replayId: string, options?: CallOptions): Call<GetReplayAnswer> {
    return this.client.json('GET', '/v2/replays/:replay_id', {replay_id: replayId}, undefined, options)
  }

  /** What is replayed stays in its report. A model call under way may still be paid for. Needs the scope `evals:write`. */
  cancel(replayId: string, options?: CallOptions): Call<CancelReplayAnswer> {
    return this.client.json('POST', '/v2/replays/:replay_id/cancel', {replay_id: replayId}, undefined, options)
  }

  /** By the number of the recorded run. getReplayRun has the report about each. Needs the scope `evals:read`. */
  listRuns(replayId: string, input?: ListReplayRunsInput, options?: CallOptions): List<ListReplayRunsAnswer['replay_runs'][number], ListReplayRunsAnswer> {
    return this.client.list('GET', '/v2/replays/:replay_id/runs', {replay_id: replayId}, input, options, 'replay_runs')
  }

  /** The report has the calls of the recorded run and of the replay side by side, outputs, scores, cost and time, and the findings. It is null until the run is replayed, if it could not be, and after the recorded run was deleted. Needs the scope `runs:read`. */
  getRun(replayRunId: string, options?: CallOptions): Call<GetReplayRunAnswer> {
    return this.client.json('GET', '/v2/replay-runs/:replay_run_id', {replay_run_id: replayRunId}, undefined, options)
  }

  /** Get the replay gate of an agent. Needs the scope `evals:read`. */
  getGate(agentId: string, options?: CallOptions): Call<GetReplayGateAnswer> {
    return this.client.json('GET', '/v2/agents/:agent_id/promotion-gate/replay', {agent_id: agentId}, undefined, options)
  }

  /** From now on promoteRevision refuses a build (409 `gate_not_met`) unless the latest finished replay of it against `replay_set_id` matched at least `min_match` and cost at most `max_cost_usd`, or `force_reason` is given. The replay must be of the build and the set as they are: a change of the build, or more recordings, ask for a new one. `min_match: null` removes the gate. Needs the scope `evals:write`. */
  putGate(agentId: string, input: PutReplayGateInput, options?: CallOptions): Call<PutReplayGateAnswer> {
    return this.client.json('PUT', '/v2/agents/:agent_id/promotion-gate/replay', {agent_id: agentId}, input, options)
  }
}

/** Runs of agents: durable, stoppable, watched live. */
export class RunsGroup extends Group {
  /** One level of the run’s workspace as it is now, by name. A run that has written nothing has no files. Needs the scope `files:read`. */
  listAgentRunFiles(agentId: string, runId: string, input?: ListRunSandboxFilesInput, options?: CallOptions): Call<ListRunSandboxFilesAnswer> {
    return this.client.json('GET', '/v2/agents/:agent_id/runs/:run_id/sandbox/files', {agent_id: agentId, run_id: runId}, input, options)
  }

  /** One level of the run’s workspace as it is now, by name. A run that has written nothing has no files. Needs the scope `files:read`. */
  listFiles(runId: string, input?: ListRunSandboxFilesByRunInput, options?: CallOptions): Call<ListRunSandboxFilesByRunAnswer> {
    return this.client.json('GET', '/v2/runs/:run_id/sandbox/files', {run_id: runId}, input, options)
  }

  /** Up to 10 MiB as text or base64; `download_url` gives a file of any size as it is. Needs the scope `files:read`. */
  getAgentRunFileContent(agentId: string, runId: string, input?: GetRunSandboxFileContentInput, options?: CallOptions): Call<GetRunSandboxFileContentAnswer> {
    return this.client.json('GET', '/v2/agents/:agent_id/runs/:run_id/sandbox/files/content', {agent_id: agentId, run_id: runId}, input, options)
  }

  /** Up to 10 MiB as text or base64; `download_url` gives a file of any size as it is. Needs the scope `files:read`. */
  getFileContent(runId: string, input?: GetRunSandboxFileContentByRunInput, options?: CallOptions): Call<GetRunSandboxFileContentByRunAnswer> {
    return this.client.json('GET', '/v2/runs/:run_id/sandbox/files/content', {run_id: runId}, input, options)
  }

  /** One picture after each action in the browser, oldest first. A run that used no browser has none. Needs the scope `files:read`. */
  screenshots(runId: string, options?: CallOptions): Call<GetRunScreenshotTimelineAnswer> {
    return this.client.json('GET', '/v2/agent-runs/:run_id/screenshots/timeline', {run_id: runId}, undefined, options)
  }

  /** One picture after each action in the browser, oldest first. A run that used no browser has none. Needs the scope `files:read`. */
  agentRunScreenshots(agentId: string, runId: string, options?: CallOptions): Call<GetAgentRunScreenshotTimelineAnswer> {
    return this.client.json('GET', '/v2/agents/:agent_id/runs/:run_id/screenshots/timeline', {agent_id: agentId, run_id: runId}, undefined, options)
  }

  /** Answers as soon as the run is stored; from then on it reaches an end or waits for something that is named, whatever crashes. Needs the scope `runs:write`. */
  start(input: StartRunInput, options?: CallOptions): Call<StartRunAnswer> {
    return this.client.json('POST', '/v2/teams/:teamId/runs', {}, input, options)
  }

  /** Newest first unless asked otherwise. `total` is exact. Needs the scope `runs:read`. */
  list(input?: ListRunsInput, options?: CallOptions): List<ListRunsAnswer['data'][number], ListRunsAnswer> {
    return this.client.list('GET', '/v2/teams/:teamId/runs', {}, input, options, 'data')
  }

  /** For each of these runs its build, the step under way, whom it asks, which slots it waits for, and who stopped it. The newest run is first; ids of which the team has no run are left out. Needs the scope `runs:read`. */
  details(input?: ListRunDetailsInput, options?: CallOptions): Call<ListRunDetailsAnswer> {
    return this.client.json('GET', '/v2/teams/:teamId/run-details', {}, input, options)
  }

  /** Exact counts by the time of creation and by how the runs stand now, for the same filters as listRuns. `buckets` has every minute, hour or day of the time, oldest first, also those without runs; at most 400. The first and the last one count only what is inside `since` and `until`, so that the sum is the total of listRuns. Without `since`: the last 60 minutes, 24 hours or 30 days. Needs the scope `runs:read`. */
  counts(input?: GetRunCountsInput, options?: CallOptions): Call<GetRunCountsAnswer> {
    return this.client.json('GET', '/v2/teams/:teamId/run-counts', {}, input, options)
  }

  /** Cheap enough to poll. The streams of events report the same changes without polling. Needs the scope `runs:read`. */
  get(runId: string, options?: CallOptions): Call<GetRunAnswer> {
    return this.client.json('GET', '/v2/runs/:run_id', {run_id: runId}, undefined, options)
  }

  /** Like getRun, with agent, build, totals, and the first 200 of its human requests and of the runs it started. Needs the scope `runs:read`. */
  getAgentRun(agentId: string, runId: string, options?: CallOptions): Call<GetAgentRunAnswer> {
    return this.client.json('GET', '/v2/agent/:agentId/runs/:runId', {agentId, runId}, undefined, options)
  }

  /** Says in one sentence why the run is in its state, with the facts: what it waits for, since when, who can end the wait, its position on the waitlist, who works on it, what went wrong. Needs the scope `runs:read`. */
  explain(runId: string, options?: CallOptions): Call<ExplainRunAnswer> {
    return this.client.json('GET', '/v2/runs/:run_id/why', {run_id: runId}, undefined, options)
  }

  /** What the run did, step by step, how long each step took, and how the run ended. Also for a run that is still active. Needs the scope `runs:read`. */
  report(agentId: string, runId: string, options?: CallOptions): Call<GetWorkflowExecutionReportAnswer> {
    return this.client.json('GET', '/v2/agent/:agentId/runs/:runId/workflow-execution-report', {agentId, runId}, undefined, options)
  }

  /** In their order, without arguments and results, which getRunStep has. Steps are numbered from 1 without gaps, so those after `seq` n are at `offset=n`, also while the run continues; `total` is the number of the last one. `axis` has the times of the run, the waits of these steps, and when processes lost the run. The steps of a run that a step started are that run’s own. Needs the scope `runs:read`. */
  listSteps(runId: string, input?: ListRunStepsInput, options?: CallOptions): List<ListRunStepsAnswer['steps'][number], ListRunStepsAnswer> {
    return this.client.list('GET', '/v2/runs/:run_id/steps', {run_id: runId}, input, options, 'steps')
  }

  /** One step whole: arguments, result, use, the moments of the ledger (intent, attempts, cuts, doubt, what people decided), what a crash would do to it now, and what a retry from it would repeat. Needs the scope `runs:read`. */
  getStep(runId: string, seq: string, options?: CallOptions): Call<GetRunStepAnswer> {
    return this.client.json('GET', '/v2/runs/:run_id/steps/:seq', {run_id: runId, seq}, undefined, options)
  }

  /** Oldest first, with how many deliveries each has and how many of them failed; listWebhookDeliveries with `run_id` has the deliveries themselves. Events that were erased after their time are missing. A credential without `files:read` gets no events about files. Long data is cut from where the page exceeds 4 MiB (`truncated`). Needs the scope `runs:read`. */
  listEvents(runId: string, input?: ListRunEventsInput, options?: CallOptions): List<ListRunEventsAnswer['events'][number], ListRunEventsAnswer> {
    return this.client.list('GET', '/v2/runs/:run_id/event-log', {run_id: runId}, input, options, 'events')
  }

  /** Oldest first. Messages are numbered from 1 without gaps, so those after `seq` n are at `offset=n`. Long texts are cut from where the page exceeds 4 MiB (`truncated`); the first message of a page is always whole. Needs the scope `runs:read`. */
  listMessages(runId: string, input?: ListRunMessagesInput, options?: CallOptions): List<ListRunMessagesAnswer['messages'][number], ListRunMessagesAnswer> {
    return this.client.list('GET', '/v2/runs/:run_id/messages', {run_id: runId}, input, options, 'messages')
  }

  /** An active run reads the message at its next turn; posting a message does not end a wait. A run that has ended starts again with it, and its log, usage and limits continue; that is refused while its agent is paused, and when the team has spent what it may in a month. From then on the run also acts for you: it can no longer use private connections of others. Needs the scope `runs:write`. */
  postMessage(runId: string, input: PostRunMessageInput, options?: CallOptions): Call<PostRunMessageAnswer> {
    return this.client.json('POST', '/v2/runs/:run_id/messages', {run_id: runId}, input, options)
  }

  /** Stops the current step within a second, cancels the open human requests of the run and stops the runs that it started. A run that has already ended does not change, and the answer says so. Needs the scope `runs:write`. */
  stop(runId: string, options?: CallOptions): Call<StopRunAnswer> {
    return this.client.json('POST', '/v2/runs/:run_id/stop', {run_id: runId}, undefined, options)
  }

  /** Starts a new run of the same agent with the same message, title, metadata, limits and callback. With `from_step` the new run begins with a copy of all turns before the one that made that call, and with the files as they were then; that turn is made again. Another build can continue from there. Needs the scope `runs:write`. */
  retry(runId: string, input?: RetryRunInput, options?: CallOptions): Call<RetryRunAnswer> {
    return this.client.json('POST', '/v2/runs/:run_id/retry', {run_id: runId}, input, options)
  }

  /** Erases the run, its messages, steps, human requests, events and files. Only an ended run can be deleted; stop it first. The runs that it started stay. A very long log disappears at once and is erased from the disk a little later. Needs the scope `runs:write`. */
  delete(runId: string, options?: CallOptions): Call<DeleteRunAnswer> {
    return this.client.json('DELETE', '/v2/runs/:run_id', {run_id: runId}, undefined, options)
  }

  /** A zip archive with everything that is known of the run: events, messages, steps, requests to people, deliveries, evaluations, files by their hashes. The log of a run is sealed within about a second after it has ended; `runyard evidence verify` checks the archive. Needs the scope `runs:read`. */
  evidence(runId: string, input?: GetRunEvidenceInput, options?: CallOptions): Call<FileAnswer> {
    return this.client.file('GET', '/v2/runs/:run_id/evidence', {run_id: runId}, input, options)
  }
}

/** Workspaces with files, in which commands run. */
export class SandboxesGroup extends Group {
  /** A sandbox is a workspace for files and commands. Given to startRun, it becomes that run’s workspace and stays as long as the run’s files do. Otherwise it is deleted with its files after `ttl_seconds`. Needs the scope `sandboxes:write`. */
  create(input?: CreateSandboxInput, options?: CallOptions): Call<CreateSandboxAnswer> {
    return this.client.json('POST', '/v2/sandboxes', {}, input, options)
  }

  /** Newest first. Sandboxes that callers made unless `made_by` says otherwise. Needs the scope `files:read`. */
  list(input?: ListSandboxesInput, options?: CallOptions): List<ListSandboxesAnswer['sandboxes'][number], ListSandboxesAnswer> {
    return this.client.list('GET', '/v2/sandboxes', {}, input, options, 'sandboxes')
  }

  /** The limits of one sandbox and of all sandboxes of the team together. Files also count for the `storage_bytes` of the team. Needs the scope `files:read`. */
  usage(options?: CallOptions): Call<GetSandboxUsageAnswer> {
    return this.client.json('GET', '/v2/teams/:teamId/sandbox-usage', {}, undefined, options)
  }

  /** Get a sandbox. Needs the scope `files:read`. */
  get(sandboxId: string, options?: CallOptions): Call<GetSandboxAnswer> {
    return this.client.json('GET', '/v2/sandboxes/:sandbox_id', {sandbox_id: sandboxId}, undefined, options)
  }

  /** Deletes its files too, also if a run used it. Refused while a command runs in it or its run has not ended. Needs the scope `sandboxes:write`. */
  delete(sandboxId: string, options?: CallOptions): Call<DeleteSandboxAnswer> {
    return this.client.json('DELETE', '/v2/sandboxes/:sandbox_id', {sandbox_id: sandboxId}, undefined, options)
  }

  /** The URL takes one successful PUT of up to 1 GiB, begun within 15 minutes, without a credential. A failed PUT can be tried again. Needs the scope `sandboxes:write`. */
  createUploadUrl(sandboxId: string, input: CreateUploadUrlInput, options?: CallOptions): Call<CreateUploadUrlAnswer> {
    return this.client.json('POST', '/v2/sandboxes/:sandbox_id/upload-urls', {sandbox_id: sandboxId}, input, options)
  }

  /** One level of the workspace, by name. Links are not listed, and nothing is read through one. Needs the scope `files:read`. */
  listFiles(sandboxId: string, input?: ListSandboxFilesInput, options?: CallOptions): Call<ListSandboxFilesAnswer> {
    return this.client.json('GET', '/v2/sandboxes/:sandbox_id/files', {sandbox_id: sandboxId}, input, options)
  }

  /** Up to 10 MiB as text or base64; `download_url` gives a file of any size as it is. Needs the scope `files:read`. */
  getFileContent(sandboxId: string, input: GetSandboxFileContentInput, options?: CallOptions): Call<GetSandboxFileContentAnswer> {
    return this.client.json('GET', '/v2/sandboxes/:sandbox_id/files/content', {sandbox_id: sandboxId}, input, options)
  }

  /** A folder is deleted with everything below it. Contents from earlier steps of a run are still stored, and count as usage. Needs the scope `sandboxes:write`. */
  deleteFile(sandboxId: string, input: DeleteSandboxFileInput, options?: CallOptions): Call<DeleteSandboxFileAnswer> {
    return this.client.json('DELETE', '/v2/sandboxes/:sandbox_id/files', {sandbox_id: sandboxId}, input, options)
  }

  /** Runs the command in bash, in `/workspace`, and answers when it has ended. It has no environment variables, and no network unless the server allows some hosts. Files that it leaves are kept; processes are not. If a worker dies while the command runs, another worker runs it again on the files as they were, unless the server lets sandboxes reach hosts. Needs the scope `sandboxes:write`. */
  exec(sandboxId: string, input: ExecSandboxInput, options?: CallOptions): Call<ExecSandboxAnswer> {
    return this.client.json('POST', '/v2/sandboxes/:sandbox_id/exec', {sandbox_id: sandboxId}, input, options)
  }
}

/** Runs that start by the clock. */
export class SchedulesGroup extends Group {
  /** List schedules. Needs the scope `agents:read`. */
  list(agentId: string, options?: CallOptions): Call<ListAgentSchedulesAnswer> {
    return this.client.json('GET', '/v2/agents/:agent_id/schedules', {agent_id: agentId}, undefined, options)
  }

  /** At each due time a run of the agent’s live build starts with `message`, exactly once, however many processes there are. A time that daylight saving skips fires at the next valid instant; a time that occurs twice fires once. An agent has at most 100 schedules. Needs the scope `agents:write`. */
  create(agentId: string, input: CreateScheduleInput, options?: CallOptions): Call<CreateScheduleAnswer> {
    return this.client.json('POST', '/v2/agents/:agent_id/schedules', {agent_id: agentId}, input, options)
  }

  /** With another `frequency`, fields that it does not use are removed. `enabled: true` also enables a schedule that disabled itself. After that, and after any change of the timing, the next due time is computed from now. Needs the scope `agents:write`. */
  update(agentId: string, scheduleId: string, input?: UpdateScheduleInput, options?: CallOptions): Call<UpdateScheduleAnswer> {
    return this.client.json('PATCH', '/v2/agents/:agent_id/schedules/:schedule_id', {agent_id: agentId, schedule_id: scheduleId}, input, options)
  }

  /** Runs that it started continue. Needs the scope `agents:write`. */
  delete(agentId: string, scheduleId: string, options?: CallOptions): Call<DeleteScheduleAnswer> {
    return this.client.json('DELETE', '/v2/agents/:agent_id/schedules/:schedule_id', {agent_id: agentId, schedule_id: scheduleId}, undefined, options)
  }

  /** The next five due times. For a disabled schedule, those that it would have; for one that fires once, only that one. Needs the scope `agents:read`. */
  preview(agentId: string, scheduleId: string, options?: CallOptions): Call<GetSchedulePreviewAnswer> {
    return this.client.json('GET', '/v2/agents/:agent_id/schedules/:schedule_id/preview', {agent_id: agentId, schedule_id: scheduleId}, undefined, options)
  }

  /** The next five due times of a schedule with these fields. Nothing is saved. Needs the scope `agents:read`. */
  previewTiming(input: PreviewScheduleInput, options?: CallOptions): Call<PreviewScheduleAnswer> {
    return this.client.json('POST', '/v2/teams/:teamId/schedule-previews', {}, input, withoutKey(options))
  }
}

/** Values that runs use and nobody reads. */
export class SecretsGroup extends Group {
  /** Their names and the names of their variables; no value is ever shown. Needs the scope `agents:read`. */
  list(input?: ListSecretsInput, options?: CallOptions): List<ListSecretsAnswer['secrets'][number], ListSecretsAnswer> {
    return this.client.list('GET', '/v2/teams/:teamId/secrets', {}, input, options, 'secrets')
  }

  /** Runs of builds that name it in `data.secrets` have its variables in the environment of their commands, and their procedures may write `{{ secrets.NAME.KEY }}` in headers and bodies of http blocks and in arguments of tool blocks. The values are cut out of everything that leaves a run. Needs the scope `secrets:write`. */
  create(input: CreateSecretInput, options?: CallOptions): Call<CreateSecretAnswer> {
    return this.client.json('POST', '/v2/teams/:teamId/secrets', {}, input, options)
  }

  /** Get a secret. Needs the scope `agents:read`. */
  get(secretId: string, options?: CallOptions): Call<GetSecretAnswer> {
    return this.client.json('GET', '/v2/secrets/:secret_id', {secret_id: secretId}, undefined, options)
  }

  /** Only the given fields change: `values` sets and removes variables, `renamed_keys` renames them before that. Runs under way use the new values from their next call on. Builds that name it by its old name no longer find it. Only its maker can change a private secret. Needs the scope `secrets:write`. */
  update(secretId: string, input?: UpdateSecretInput, options?: CallOptions): Call<UpdateSecretAnswer> {
    return this.client.json('PATCH', '/v2/secrets/:secret_id', {secret_id: secretId}, input, options)
  }

  /** It is gone at once, with its values. The answer lists the agents that used it: their commands and calls that need it now fail. listSecretDependents shows them beforehand. Needs the scope `secrets:write`. */
  delete(secretId: string, options?: CallOptions): Call<DeleteSecretAnswer> {
    return this.client.json('DELETE', '/v2/secrets/:secret_id', {secret_id: secretId}, undefined, options)
  }

  /** List what depends on a secret. Needs the scope `agents:read`. */
  listDependents(secretId: string, options?: CallOptions): Call<ListSecretDependentsAnswer> {
    return this.client.json('GET', '/v2/secrets/:secret_id/dependents', {secret_id: secretId}, undefined, options)
  }
}

/** Who is signed in, and links that sign in. */
export class SessionsGroup extends Group {
  /** Your own sessions; with the scope `keys:manage`, those of all members. Sessions that are over are left out. Needs the scope `team:read`. */
  list(input?: ListSessionsInput, options?: CallOptions): List<ListSessionsAnswer['sessions'][number], ListSessionsAnswer> {
    return this.client.list('GET', '/v2/teams/:teamId/sessions', {}, input, options, 'sessions')
  }

  /** One of your own; with the scope `keys:manage`, that of any member. Needs the scope `team:read`. */
  delete(memberSessionId: string, options?: CallOptions): Call<DeleteSessionAnswer> {
    return this.client.json('DELETE', '/v2/sessions/:member_session_id', {member_session_id: memberSessionId}, undefined, options)
  }

  /** The link is only in this answer. For yourself it works for ten minutes, and its session has the scopes of your credential and ends with it. For another member it is an invitation, which works for three days; that needs the scope `keys:manage` and every scope of that member’s role. Tokens of OAuth clients cannot make links. Needs the scope `team:read`. */
  createLink(input?: CreateSignInLinkInput, options?: CallOptions): Call<CreateSignInLinkAnswer> {
    return this.client.json('POST', '/v2/teams/:teamId/sign-in-links', {}, input, options)
  }
}

/** Folders of instructions and scripts that agents read when they need them. */
export class SkillsGroup extends Group {
  /** List skills. Needs the scope `agents:read`. */
  list(input?: ListSkillsInput, options?: CallOptions): List<ListSkillsAnswer['skills'][number], ListSkillsAnswer> {
    return this.client.list('GET', '/v2/teams/:teamId/skills', {}, input, options, 'skills')
  }

  /** From the text of its SKILL.md, which begins with its name and description. If the team has a skill of this name, it gets another version. Runs of builds that name it in `data.skills`, by name, by id or with a version (`monthly-report@3`), see its name and description, read the rest with the tool `skill_read`, and find its files in /skills of their sandbox. Needs the scope `agents:write`. */
  create(input: CreateSkillInput, options?: CallOptions): Call<CreateSkillAnswer> {
    return this.client.json('POST', '/v2/teams/:teamId/skills', {}, input, options)
  }

  /** A zip archive with SKILL.md at its top or in its only folder. If the team has a skill of the name that SKILL.md says, it gets another version. An archive with a path that leads elsewhere, a link, or anything else that is not a plain file is refused as a whole. Needs the scope `agents:write`. */
  upload(input: UploadSkillInput, options?: CallOptions): Call<UploadSkillAnswer> {
    return this.client.json('POST', '/v2/teams/:teamId/skills/upload', {}, input, options)
  }

  /** Get a skill. Needs the scope `agents:read`. */
  get(skillId: string, input?: GetSkillInput, options?: CallOptions): Call<GetSkillAnswer> {
    return this.client.json('GET', '/v2/skills/:skill_id', {skill_id: skillId}, input, options)
  }

  /** The newest 50 are kept. Needs the scope `agents:read`. */
  listVersions(skillId: string, input?: ListSkillVersionsInput, options?: CallOptions): List<ListSkillVersionsAnswer['versions'][number], ListSkillVersionsAnswer> {
    return this.client.list('GET', '/v2/skills/:skill_id/versions', {skill_id: skillId}, input, options, 'versions')
  }

  /** Read a file of a skill. Needs the scope `agents:read`. */
  getFile(skillId: string, path: string, input?: GetSkillFileInput, options?: CallOptions): Call<GetSkillFileAnswer> {
    return this.client.json('GET', '/v2/skills/:skill_id/files/:path+', {skill_id: skillId, path}, input, options)
  }

  /** A new file or in place of the old one, up to 1 MiB; the skill has its next version then. With SKILL.md its name and description change too. A file that begins with `#!` can be run. Needs the scope `agents:write`. */
  putFile(skillId: string, path: string, input: PutSkillFileInput, options?: CallOptions): Call<PutSkillFileAnswer> {
    return this.client.json('PUT', '/v2/skills/:skill_id/files/:path+', {skill_id: skillId, path}, input, options)
  }

  /** The skill has its next version then; older ones keep the file. Needs the scope `agents:write`. */
  deleteFile(skillId: string, path: string, options?: CallOptions): Call<DeleteSkillFileAnswer> {
    return this.client.json('DELETE', '/v2/skills/:skill_id/files/:path+', {skill_id: skillId, path}, undefined, options)
  }

  /** Download a skill. Needs the scope `agents:read`. */
  download(skillId: string, input?: DownloadSkillInput, options?: CallOptions): Call<FileAnswer> {
    return this.client.file('GET', '/v2/skills/:skill_id/download', {skill_id: skillId}, input, options)
  }

  /** With all its versions. The answer lists the agents that used it. listSkillDependents shows them beforehand. Needs the scope `agents:write`. */
  delete(skillId: string, options?: CallOptions): Call<DeleteSkillAnswer> {
    return this.client.json('DELETE', '/v2/skills/:skill_id', {skill_id: skillId}, undefined, options)
  }

  /** List what depends on a skill. Needs the scope `agents:read`. */
  listDependents(skillId: string, options?: CallOptions): Call<ListSkillDependentsAnswer> {
    return this.client.json('GET', '/v2/skills/:skill_id/dependents', {skill_id: skillId}, undefined, options)
  }
}

/** Drafts that the builder makes when a check fails again and again, for a person to decide. */
export class SuggestionsGroup extends Group {
  /** Newest first. Needs the scope `agents:read`. */
  list(agentId: string, input?: ListSuggestionsInput, options?: CallOptions): List<ListSuggestionsAnswer['suggestions'][number], ListSuggestionsAnswer> {
    return this.client.list('GET', '/v2/agents/:agent_id/suggestions', {agent_id: agentId}, input, options, 'suggestions')
  }

  /** The replay behind it is read with getReplay and listReplayRuns. Needs the scope `agents:read`. */
  get(suggestionId: string, options?: CallOptions): Call<GetSuggestionAnswer> {
    return this.client.json('GET', '/v2/suggestions/:suggestion_id', {suggestion_id: suggestionId}, undefined, options)
  }

  /** Its draft becomes live, exactly as promoteRevision would make it: the gates of the agent apply, unless `force_reason` is given. Other suggestions for the agent become stale, because they are about the build that was live before. Needs the scope `agents:write`. */
  accept(suggestionId: string, input?: AcceptSuggestionInput, options?: CallOptions): Call<AcceptSuggestionAnswer> {
    return this.client.json('POST', '/v2/suggestions/:suggestion_id/accept', {suggestion_id: suggestionId}, input, options)
  }

  /** Also possible before its draft is ready: then its builder run and its replay end. The draft stays a draft. While the same build is live, no other suggestion is made for this check. Needs the scope `agents:write`. */
  reject(suggestionId: string, input: RejectSuggestionInput, options?: CallOptions): Call<RejectSuggestionAnswer> {
    return this.client.json('POST', '/v2/suggestions/:suggestion_id/reject', {suggestion_id: suggestionId}, input, options)
  }

  /** While `is_on` is false, the other fields have the values that would apply. Needs the scope `agents:read`. */
  getSettings(agentId: string, options?: CallOptions): Call<GetSuggestionSettingsAnswer> {
    return this.client.json('GET', '/v2/agents/:agent_id/suggestion-settings', {agent_id: agentId}, undefined, options)
  }

  /** Once a check fails in `failures` of the last `of_runs` evaluated runs of the live build, the builder makes a draft, which is replayed. A person accepts or rejects it; it never becomes live by itself. A model writes the draft, on your behalf and at the cost of the team. It learns from runs and from what the check said of them, so to switch them on takes the scopes `runs:read` and `evals:read` too. Switched off, no new ones are made. Needs the scope `agents:write`. */
  putSettings(agentId: string, input: PutSuggestionSettingsInput, options?: CallOptions): Call<PutSuggestionSettingsAnswer> {
    return this.client.json('PUT', '/v2/agents/:agent_id/suggestion-settings', {agent_id: agentId}, input, options)
  }
}

/** The installation: its processes, sizes, settings and drills. */
export class SystemGroup extends Group {
  /** Version, database, object store, living processes with what they report every five seconds, the oldest work that waits, sizes of tables and their growth, and the settings of the process that answers, of secrets only whether they are set. Only for admins of the teams that `RUNYARD_SYSTEM_TEAMS` names, or of the oldest team: it says nothing about what teams do, but everything about how the service runs. Needs the scope `system:read`. */
  get(options?: CallOptions): Call<GetSystemAnswer> {
    return this.client.json('GET', '/v2/system', {}, undefined, options)
  }

  /** The latest first, with how far one that is under way has come. Only for admins of the teams that `RUNYARD_SYSTEM_TEAMS` names, or of the oldest team. Needs the scope `system:read`. */
  listDrills(input?: ListDrillsInput, options?: CallOptions): List<ListDrillsAnswer['drills'][number], ListDrillsAnswer> {
    return this.client.list('GET', '/v2/system/drills', {}, input, options, 'drills')
  }

  /** Makes a scratch team with runs of its own, starts further worker processes for it, kills them one after another, and says what was lost, repeated or doubled. Each of these counts must be zero. Then the team is erased. Only workers that the drill itself starts are killed, and only they work on its runs. One drill at a time. Only for admins of the teams that `RUNYARD_SYSTEM_TEAMS` names, or of the oldest team. Needs the scope `system:write`. */
  startDrill(input: StartDrillInput, options?: CallOptions): Call<StartDrillAnswer> {
    return this.client.json('POST', '/v2/system/drills', {}, input, options)
  }

  /** It ends its workers, erases its team, and becomes `stopped`, usually within seconds. One that no worker has taken yet is stopped at once. If none is under way, the latest one is given as it is. Needs the scope `system:write`. */
  stopDrill(options?: CallOptions): Call<StopDrillAnswer> {
    return this.client.json('POST', '/v2/system/drills/stop', {}, undefined, options)
  }
}

/** Files that a team keeps for its agents. */
export class TeamFilesGroup extends Group {
  /** List team files. Needs the scope `files:read`. */
  list(input?: ListTeamFilesInput, options?: CallOptions): List<ListTeamFilesAnswer['files'][number], ListTeamFilesAnswer> {
    return this.client.list('GET', '/v2/teams/:teamId/files', {}, input, options, 'files')
  }

  /** A new file, or in place of the one with this name. For larger files use an upload URL. Runs of builds that name the file in `data.files`, by name or id, find it read-only in /files of their sandbox. Needs the scope `agents:write`. */
  create(input: CreateTeamFileInput, options?: CallOptions): Call<CreateTeamFileAnswer> {
    return this.client.json('POST', '/v2/teams/:teamId/files', {}, input, options)
  }

  /** The URL takes one successful PUT of up to 1 GiB, begun within 15 minutes, without a credential. A failed PUT can be tried again. The file has this name when the whole of it has come. Needs the scope `agents:write`. */
  createUploadUrl(input: CreateTeamFileUploadUrlInput, options?: CallOptions): Call<CreateTeamFileUploadUrlAnswer> {
    return this.client.json('POST', '/v2/teams/:teamId/files/upload-urls', {}, input, options)
  }

  /** The file with its content, up to 10 MiB, and a URL to download it. Needs the scope `files:read`. */
  get(fileId: string, options?: CallOptions): Call<GetTeamFileAnswer> {
    return this.client.json('GET', '/v2/teams/:teamId/files/:file_id', {file_id: fileId}, undefined, options)
  }

  /** Builds that name it by its old name no longer find it; those that name its id do. Needs the scope `agents:write`. */
  update(fileId: string, input?: UpdateTeamFileInput, options?: CallOptions): Call<UpdateTeamFileAnswer> {
    return this.client.json('PATCH', '/v2/teams/:teamId/files/:file_id', {file_id: fileId}, input, options)
  }

  /** The answer lists the agents that used it. listTeamFileDependents shows them beforehand. Needs the scope `agents:write`. */
  delete(fileId: string, options?: CallOptions): Call<DeleteTeamFileAnswer> {
    return this.client.json('DELETE', '/v2/teams/:teamId/files/:file_id', {file_id: fileId}, undefined, options)
  }

  /** List what depends on a team file. Needs the scope `agents:read`. */
  listDependents(fileId: string, options?: CallOptions): Call<ListTeamFileDependentsAnswer> {
    return this.client.json('GET', '/v2/teams/:teamId/files/:file_id/dependents', {file_id: fileId}, undefined, options)
  }
}

/** Teams, and what happens in them. */
export class TeamsGroup extends Group {
  /** A credential belongs to one team, so the list has one entry. Use it to find the team id. Needs the scope `team:read`. */
  list(options?: CallOptions): Call<ListTeamsAnswer> {
    return this.client.json('GET', '/v2/teams', {}, undefined, options)
  }

  /** Get a team. Needs the scope `team:read`. */
  get(options?: CallOptions): Call<GetTeamAnswer> {
    return this.client.json('GET', '/v2/teams/:teamId', {}, undefined, options)
  }

  /** The member that the credential belongs to, and its scopes, limited to that member’s role. Needs the scope `team:read`. */
  profile(options?: CallOptions): Call<GetProfileAnswer> {
    return this.client.json('GET', '/v2/profile', {}, undefined, options)
  }

  /** What you have chosen for the console, wherever you sign in. Needs the scope `team:read`. */
  preferences(options?: CallOptions): Call<GetPreferencesAnswer> {
    return this.client.json('GET', '/v2/profile/preferences', {}, undefined, options)
  }

  /** Only the given fields change. Needs the scope `team:read`. */
  updatePreferences(input?: UpdatePreferencesInput, options?: CallOptions): Call<UpdatePreferencesAnswer> {
    return this.client.json('PATCH', '/v2/profile/preferences', {}, input, options)
  }

  /** Newest first, as they are stored: events are erased after their time. A request looks through a part of the log at most, so a page may have fewer than `limit`, or none; `looked_until` says then how far it looked. `next_before` continues it, and is null at the end. Kinds of events that the credential may not read are left out, as in the stream. Needs the scope `runs:read`. */
  listEvents(input?: ListTeamEventsInput, options?: CallOptions): Call<ListTeamEventsAnswer> {
    return this.client.json('GET', '/v2/teams/:teamId/event-log', {}, input, options)
  }

  /** What runs now, what failed in the last 24 hours by agent and error code, the next starts of schedules, the delivery targets with trouble, and the connections that need a person. A list is null where the credential lacks the scope to read it. Needs the scope `runs:read`. */
  overview(options?: CallOptions): Call<GetOverviewAnswer> {
    return this.client.json('GET', '/v2/teams/:teamId/overview', {}, undefined, options)
  }

  /** Each run counts once, by its latest finished evaluation, in the hour in which it ended. The agents with most runs first, at most 500. Needs the scope `evals:read`. */
  agentScores(input?: ListAgentScoresInput, options?: CallOptions): Call<ListAgentScoresAnswer> {
    return this.client.json('GET', '/v2/teams/:teamId/agent-scores', {}, input, options)
  }
}

/** Runs that start from outside: webhooks, events, polls and mail. */
export class TriggersGroup extends Group {
  /** Webhooks, events, polls and mail addresses that start runs of the agent. Its queue is its case trigger. Needs the scope `agents:read`. */
  list(agentId: string, options?: CallOptions): Call<ListAgentTriggersAnswer> {
    return this.client.json('GET', '/v2/agents/:agent_id/triggers', {agent_id: agentId}, undefined, options)
  }

  /** Starts a run of the agent’s live build for each thing that happens: a request to a URL of its own (`webhook`), an event of this team (`event`), an item that is new in the answer of a connection’s tool (`poll`), or a mail (`email`). Each thing starts one run, whatever crashes or is sent twice. An agent has at most 100 triggers, and a team 100 for events. For cases of a queue, make a case trigger instead. Needs the scope `agents:write`. */
  create(agentId: string, input: CreateAgentTriggerInput, options?: CallOptions): Call<CreateAgentTriggerAnswer> {
    return this.client.json('POST', '/v2/agents/:agent_id/triggers', {agent_id: agentId}, input, options)
  }

  /** Get a trigger. Needs the scope `agents:read`. */
  get(triggerId: string, options?: CallOptions): Call<GetTriggerAnswer> {
    return this.client.json('GET', '/v2/triggers/:trigger_id', {trigger_id: triggerId}, undefined, options)
  }

  /** Only the given fields change, also inside `webhook`, `event` and `poll`. What already waits is judged by the trigger as it is then. Its runs act on behalf of the member who changed it last. Another `verifier` needs its `secret` again, unless the trigger is paused. Needs the scope `agents:write`. */
  update(triggerId: string, input?: UpdateTriggerInput, options?: CallOptions): Call<UpdateTriggerAnswer> {
    return this.client.json('PATCH', '/v2/triggers/:trigger_id', {trigger_id: triggerId}, input, options)
  }

  /** Its URL or mail address takes nothing any more, and what waits is not started. Runs that it started continue. Needs the scope `agents:write`. */
  delete(triggerId: string, options?: CallOptions): Call<DeleteTriggerAnswer> {
    return this.client.json('DELETE', '/v2/triggers/:trigger_id', {trigger_id: triggerId}, undefined, options)
  }

  /** For the URL of a webhook or a mail address that others have learned. The old address answers 404 from now on. Needs the scope `agents:write`. */
  rotateAddress(triggerId: string, options?: CallOptions): Call<RotateTriggerAddressAnswer> {
    return this.client.json('POST', '/v2/triggers/:trigger_id/rotate-address', {trigger_id: triggerId}, undefined, options)
  }

  /** What came in within the last 30 days, without its content. Requests without a valid signature or secret were not stored. Needs the scope `agents:read`. */
  listDeliveries(triggerId: string, input?: ListTriggerDeliveriesInput, options?: CallOptions): List<ListTriggerDeliveriesAnswer['deliveries'][number], ListTriggerDeliveriesAnswer> {
    return this.client.list('GET', '/v2/triggers/:trigger_id/deliveries', {trigger_id: triggerId}, input, options, 'deliveries')
  }

  /** With what came in. Credentials and signatures among the headers were not stored. Needs the scope `agents:read`. */
  getDelivery(triggerDeliveryId: string, options?: CallOptions): Call<GetTriggerDeliveryAnswer> {
    return this.client.json('GET', '/v2/trigger-deliveries/:trigger_delivery_id', {trigger_delivery_id: triggerDeliveryId}, undefined, options)
  }

  /** Makes a new delivery of the same content. It goes through the filter and the message as they are now, and starts a run even if its key has started one before. It counts like one that comes in: in the minute of the trigger, among those that wait, and as storage. Needs the scope `agents:write`. */
  replayDelivery(triggerDeliveryId: string, options?: CallOptions): Call<ReplayTriggerDeliveryAnswer> {
    return this.client.json('POST', '/v2/trigger-deliveries/:trigger_delivery_id/replay', {trigger_delivery_id: triggerDeliveryId}, undefined, options)
  }
}

/** Saved filters of lists, for a member or a whole team. */
export class ViewsGroup extends Group {
  /** Your own and those that others share, by name. Needs the scope `team:read`. */
  list(input?: ListViewsInput, options?: CallOptions): List<ListViewsAnswer['views'][number], ListViewsAnswer> {
    return this.client.list('GET', '/v2/teams/:teamId/views', {}, input, options, 'views')
  }

  /** A member has at most 100 views. Names differ among the views that a member has of a screen. Needs the scope `team:read`. */
  create(input: CreateViewInput, options?: CallOptions): Call<CreateViewAnswer> {
    return this.client.json('POST', '/v2/teams/:teamId/views', {}, input, options)
  }

  /** Get a saved view. Needs the scope `team:read`. */
  get(viewId: string, options?: CallOptions): Call<GetViewAnswer> {
    return this.client.json('GET', '/v2/views/:view_id', {view_id: viewId}, undefined, options)
  }

  /** Only the given fields change; `filter` is replaced as a whole. Needs the scope `team:read`. */
  update(viewId: string, input?: UpdateViewInput, options?: CallOptions): Call<UpdateViewAnswer> {
    return this.client.json('PATCH', '/v2/views/:view_id', {view_id: viewId}, input, options)
  }

  /** Delete a saved view. Needs the scope `team:read`. */
  delete(viewId: string, options?: CallOptions): Call<DeleteViewAnswer> {
    return this.client.json('DELETE', '/v2/views/:view_id', {view_id: viewId}, undefined, options)
  }
}

/** URLs that get signed events. */
export class WebhooksGroup extends Group {
  /** List webhooks. Needs the scope `webhooks:manage`. */
  list(options?: CallOptions): Call<ListWebhooksAnswer> {
    return this.client.json('GET', '/v2/teams/:teamId/webhooks', {}, undefined, options)
  }

  /** From now on each of these events is sent to `url` by POST, at least once, signed with the team’s secret. What fails is tried again for about three days and then kept as a dead letter. It gets the events that the credential which made it may read (streamTeamEvents lists their scopes). A team has at most 50 webhooks. Needs the scope `webhooks:manage`. */
  create(input: CreateWebhookInput, options?: CallOptions): Call<CreateWebhookAnswer> {
    return this.client.json('POST', '/v2/teams/:teamId/webhooks', {}, input, options)
  }

  /** Only the given fields change. While `active` is false, new events are not sent, also not later; deliveries that were already waiting are sent once it is true again. `active: true` also enables a webhook that Runyard disabled; the dead letters of that time can then be replayed. Waiting deliveries go to a new `url`. To change `url` or `events`, a credential must be able to read every kind of event that the webhook gets. To change `url`, it must also be able to read every event that still waits to be sent; while 100000 deliveries or more wait, every kind of event there is. Needs the scope `webhooks:manage`. */
  update(subscriptionId: string, input?: UpdateWebhookInput, options?: CallOptions): Call<UpdateWebhookAnswer> {
    return this.client.json('PATCH', '/v2/teams/:teamId/webhooks/:subscriptionId', {subscriptionId}, input, options)
  }

  /** Deliveries that were not sent yet are dropped. Ended deliveries can still be read, but not replayed. Needs the scope `webhooks:manage`. */
  delete(subscriptionId: string, options?: CallOptions): Call<DeleteWebhookAnswer> {
    return this.client.json('DELETE', '/v2/teams/:teamId/webhooks/:subscriptionId', {subscriptionId}, undefined, options)
  }

  /** Sends an example of an event to this webhook alone, signed and retried like any other; its `data` has `"test": true`. Read the delivery to see what the receiver answered. Needs the scope `webhooks:manage`. */
  test(subscriptionId: string, input?: TestWebhookInput, options?: CallOptions): Call<TestWebhookAnswer> {
    return this.client.json('POST', '/v2/webhooks/:subscription_id/test', {subscription_id: subscriptionId}, input, options)
  }

  /** Sends again every delivery to this webhook that is `delivered` or `dead` and whose event happened at `since` or later: the oldest first, after new events. Ids and bodies are the same as before. Kinds of events that your credential may not read are left out, and those that the webhook does not get because the credential that set its `url` or `events` may not read them. Needs the scope `webhooks:manage`. */
  replay(subscriptionId: string, input: ReplayWebhookInput, options?: CallOptions): Call<ReplayWebhookAnswer> {
    return this.client.json('POST', '/v2/webhooks/:subscription_id/replay', {subscription_id: subscriptionId}, input, options)
  }

  /** One secret signs every delivery of the team, to webhooks and to callback URLs. It is made when it is first needed. Needs the scope `webhooks:manage`. */
  getSecret(options?: CallOptions): Call<GetWebhookSecretAnswer> {
    return this.client.json('GET', '/v2/teams/:teamId/webhook-secret', {}, undefined, options)
  }

  /** Without `overlap_seconds` the new secret replaces the old one at once, and deliveries carry one `v1` signature. With it, every delivery is signed with both secrets until `previous_expires_at`. At most two sign: rotating again drops the older at once. Needs the scope `webhooks:manage`. */
  rotateSecret(input?: RotateWebhookSecretInput, options?: CallOptions): Call<RotateWebhookSecretAnswer> {
    return this.client.json('POST', '/v2/teams/:teamId/webhook-secret/rotate', {}, input, options)
  }
}
