// @runyard/sdk: a typed client of a Runyard server.
import { Cases } from './cases.ts'
import { Client, type RequestOptions, type RunyardOptions } from './client.ts'
import {
  AgentsGroup,
  AlertsGroup,
  ApiKeysGroup,
  ArtifactsGroup,
  AuditLogGroup,
  BillingGroup,
  BrowserGroup,
  CaseTriggersGroup,
  ConnectionsGroup,
  DeliveriesGroup,
  EvaluationsGroup,
  GuardrailsGroup,
  LabelsGroup,
  LoginsGroup,
  MembersGroup,
  MemoryGroup,
  ModelKeysGroup,
  ModelSettingsGroup,
  NotificationsGroup,
  OauthClientsGroup,
  PluginsGroup,
  QueuesGroup,
  ReplaysGroup,
  SchedulesGroup,
  SecretsGroup,
  SessionsGroup,
  SkillsGroup,
  SuggestionsGroup,
  SystemGroup,
  TriggersGroup,
  ViewsGroup,
  WebhooksGroup,
} from './generated/groups.ts'
import { HumanRequests } from './humanRequests.ts'
import { Mcp } from './mcp.ts'
import { Runs } from './runs.ts'
import { Sandboxes } from './sandboxes.ts'
import { TeamFiles } from './teamFiles.ts'
import { Teams } from './teams.ts'
import { unwrap } from './webhooks.ts'

export class Runyard {
  /** `Runyard.webhooks.unwrap(rawBody, headers, secret)` gives the verified event of a delivery. */
  static readonly webhooks = { unwrap }

  readonly #client: Client
  readonly agents: AgentsGroup
  readonly alerts: AlertsGroup
  readonly apiKeys: ApiKeysGroup
  readonly artifacts: ArtifactsGroup
  readonly auditLog: AuditLogGroup
  readonly billing: BillingGroup
  readonly browser: BrowserGroup
  readonly cases: Cases
  readonly caseTriggers: CaseTriggersGroup
  readonly connections: ConnectionsGroup
  readonly deliveries: DeliveriesGroup
  readonly evaluations: EvaluationsGroup
  readonly guardrails: GuardrailsGroup
  readonly humanRequests: HumanRequests
  readonly labels: LabelsGroup
  readonly logins: LoginsGroup
  readonly mcp: Mcp
  readonly members: MembersGroup
  readonly memory: MemoryGroup
  readonly modelKeys: ModelKeysGroup
  readonly modelSettings: ModelSettingsGroup
  readonly notifications: NotificationsGroup
  readonly oauthClients: OauthClientsGroup
  readonly plugins: PluginsGroup
  readonly queues: QueuesGroup
  readonly replays: ReplaysGroup
  readonly runs: Runs
  readonly sandboxes: Sandboxes
  readonly schedules: SchedulesGroup
  readonly secrets: SecretsGroup
  readonly sessions: SessionsGroup
  readonly skills: SkillsGroup
  readonly suggestions: SuggestionsGroup
  readonly system: SystemGroup
  readonly teamFiles: TeamFiles
  readonly teams: Teams
  readonly triggers: TriggersGroup
  readonly views: ViewsGroup
  readonly webhooks: WebhooksGroup

  constructor(options: RunyardOptions = {}) {
    const client = new Client(options)
    this.#client = client
    this.agents = new AgentsGroup(client)
    this.alerts = new AlertsGroup(client)
    this.apiKeys = new ApiKeysGroup(client)
    this.artifacts = new ArtifactsGroup(client)
    this.auditLog = new AuditLogGroup(client)
    this.billing = new BillingGroup(client)
    this.browser = new BrowserGroup(client)
    this.cases = new Cases(client)
    this.caseTriggers = new CaseTriggersGroup(client)
    this.connections = new ConnectionsGroup(client)
    this.deliveries = new DeliveriesGroup(client)
    this.evaluations = new EvaluationsGroup(client)
    this.guardrails = new GuardrailsGroup(client)
    this.humanRequests = new HumanRequests(client)
    this.labels = new LabelsGroup(client)
    this.logins = new LoginsGroup(client)
    this.mcp = new Mcp(client)
    this.members = new MembersGroup(client)
    this.memory = new MemoryGroup(client)
    this.modelKeys = new ModelKeysGroup(client)
    this.modelSettings = new ModelSettingsGroup(client)
    this.notifications = new NotificationsGroup(client)
    this.oauthClients = new OauthClientsGroup(client)
    this.plugins = new PluginsGroup(client)
    this.queues = new QueuesGroup(client)
    this.replays = new ReplaysGroup(client)
    this.runs = new Runs(client)
    this.sandboxes = new Sandboxes(client)
    this.schedules = new SchedulesGroup(client)
    this.secrets = new SecretsGroup(client)
    this.sessions = new SessionsGroup(client)
    this.skills = new SkillsGroup(client)
    this.suggestions = new SuggestionsGroup(client)
    this.system = new SystemGroup(client)
    this.teamFiles = new TeamFiles(client)
    this.teams = new Teams(client)
    this.triggers = new TriggersGroup(client)
    this.views = new ViewsGroup(client)
    this.webhooks = new WebhooksGroup(client)
  }

  get baseUrl(): string {
    return this.#client.baseUrl
  }

  /** The team of every call: given, or learned from the key. */
  teamId(): Promise<string> {
    return this.#client.teamId()
  }

  /** Any request, for what has no method yet, with the same credential, keys and retries. */
  request(method: string, path: string, options?: RequestOptions): Promise<Response> {
    return this.#client.send(method, path, options)
  }
}

export type { Answered, Call, CallOptions } from './call.ts'
export type { AddedCase, CreateManyOptions, NewCase } from './cases.ts'
export type { Attempt, RequestOptions, RunyardOptions } from './client.ts'
export { version } from './environment.ts'
export * from './errors.ts'
export { EventStream, type StreamOptions } from './events.ts'
export type { FileAnswer, Progress, TransferOptions, UploadSource } from './files.ts'
export type * from './generated/types.ts'
export { PendingRequest } from './humanRequests.ts'
export { List } from './list.ts'
export type { RunStreamEvent, WaitedRun, WaitOptions } from './runs.ts'
export type { TeamStreamEvent } from './teams.ts'
export { unwrap, type UnwrapOptions } from './webhooks.ts'
