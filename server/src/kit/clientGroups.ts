// The nouns of the API: groups of methods in the SDK, and tags of the OpenAPI document.

/** Each with its sentence for the reference. */
export const clientGroups = {
  agents: 'Agents, their builds and the builder runs that write them.',
  alerts: 'Rules over failures, waits and cost, and the incidents that they open.',
  apiKeys: 'Keys with which programs sign in.',
  artifacts: 'Live pages that agents make and keep fresh.',
  auditLog: 'Who changed what, and when.',
  billing: 'What a team uses, and what it may use.',
  browser: 'Browser sessions of runs.',
  cases: 'Pieces of work in a queue: made, claimed, done.',
  caseTriggers: 'Which cases start runs of an agent.',
  connections: 'Accounts and MCP servers that agents may use.',
  deliveries: 'Webhook deliveries, with every attempt.',
  evaluations: 'How good runs were, by rubrics, and which builds may become live.',
  guardrails: 'Rules of a team above all of its agents, and what they stopped.',
  humanRequests: 'Approvals, questions and forms that runs wait for.',
  labels: 'Labels of cases.',
  logins: 'User names and passwords that the browser fills in.',
  mcp: 'The API as tools of the Model Context Protocol.',
  members: 'The people of a team.',
  memory: 'Files that an agent keeps between its runs.',
  modelKeys: 'A team’s own keys of providers of models.',
  modelSettings: 'Which models a team’s agents may use, and its default.',
  notifications: 'What you are notified of, by mail and by your browsers.',
  oauthClients: 'OAuth clients with which programs sign in.',
  plugins: 'Tool sets that agents may use.',
  queues: 'Queues of cases for agents and people.',
  replays: 'Recorded runs, and builds that are replayed against them before they become live.',
  runs: 'Runs of agents: durable, stoppable, watched live.',
  sandboxes: 'Workspaces with files, in which commands run.',
  schedules: 'Runs that start by the clock.',
  secrets: 'Values that runs use and nobody reads.',
  sessions: 'Who is signed in, and links that sign in.',
  skills: 'Folders of instructions and scripts that agents read when they need them.',
  suggestions: 'Drafts that the builder makes when a check fails again and again, for a person to decide.',
  system: 'The installation: its processes, sizes, settings and drills.',
  teamFiles: 'Files that a team keeps for its agents.',
  teams: 'Teams, and what happens in them.',
  triggers: 'Runs that start from outside: webhooks, events, polls and mail.',
  views: 'Saved filters of lists, for a member or a whole team.',
  webhooks: 'URLs that get signed events.',
} as const satisfies Record<string, string>

export type ClientGroup = keyof typeof clientGroups

/** Group and method, with a dot between them. */
export type ClientName = `${ClientGroup}.${string}`
