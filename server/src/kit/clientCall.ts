// How clients call an operation: `runs.start` of the SDK and its arguments. The SDK, the command line and the reference follow it.
import type { Operation } from './operation.ts'
import type { TObject } from './schema.ts'

/** The nouns of the API: groups of methods in the SDK, and tags of the OpenAPI document. */
export const clientGroups = {
  agents: 'Agents, their builds and the builder runs that write them.',
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
  humanRequests: 'Approvals, questions and forms that runs wait for.',
  labels: 'Labels of cases.',
  mcp: 'The API as tools of the Model Context Protocol.',
  members: 'The people and programs of a team.',
  memory: 'Files that an agent keeps between its runs.',
  oauthClients: 'OAuth clients with which programs sign in.',
  plugins: 'Tool sets that agents may use.',
  queues: 'Queues of cases for agents and people.',
  runs: 'Runs of agents: durable, stoppable, watched live.',
  sandboxes: 'Workspaces with files, in which commands run.',
  schedules: 'Runs that start by the clock.',
  teams: 'Teams, and what happens in them.',
  webhooks: 'Addresses that get signed events.',
} as const satisfies Record<string, string>

export type ClientGroup = keyof typeof clientGroups

/** Group and method, with a dot between them. */
export type ClientName = `${ClientGroup}.${string}`

/** What an operation gives a client: JSON, nothing, pages of a list, a file, a stream of events, or the answer of another protocol. */
export type ClientAnswer = 'json' | 'nothing' | 'list' | 'file' | 'events' | 'protocol'

export interface ClientCall {
  group: ClientGroup
  method: string
  /** The path's parameters without the team, which a client knows, as `runId`. */
  parameters: { name: string; inPath: string }[]
  /** What the one object of arguments becomes. */
  input: 'body' | 'query' | 'bytes' | 'none'
  /** False: the object of arguments must be given. */
  mayOmitInput: boolean
  answer: ClientAnswer
  /** The field of a list's answer that holds its rows. */
  rows?: string
}

/** Undefined: the operation is not for clients; only operations of tests are such. */
export function clientCallOf(operation: Operation): ClientCall | undefined {
  const [group, method] = (operation.client?.split('.') ?? []) as [ClientGroup?, string?]
  if (!group || !method) return undefined
  const input = inputOf(operation)
  const rows = rowsOf(operation)
  return {
    group,
    method,
    parameters: operation.parameters
      .filter((name) => name !== 'teamId')
      .map((inPath) => ({ name: inPath.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()), inPath })),
    input,
    mayOmitInput: input === 'none' || requiredOf(input === 'body' ? operation.body : operation.query).length === 0,
    answer: answerOf(operation, rows),
    ...(rows !== undefined && { rows }),
  }
}

/** What has a default may be left out, though a handler always sees it. */
function requiredOf(schema: TObject | undefined): string[] {
  if (!schema) return []
  const defaultOf = (name: string): unknown => (schema.properties[name] as { default?: unknown }).default
  return ((schema.required as string[] | undefined) ?? []).filter((name) => defaultOf(name) === undefined)
}

const hasFields = (schema: TObject | undefined): boolean => Object.keys(schema?.properties ?? {}).length > 0

function inputOf({ body, query, takesBytes }: Operation): ClientCall['input'] {
  if (takesBytes) return 'bytes'
  if (body) return 'body'
  return hasFields(query) ? 'query' : 'none'
}

/** A list takes `limit` and `offset`, and answers with one array and the total. */
function rowsOf({ query, body, answer }: Operation): string | undefined {
  const fields = { ...query?.properties, ...body?.properties }
  const properties = (answer as TObject | undefined)?.properties
  if (!properties?.['total'] || !fields['limit'] || !fields['offset']) return undefined
  return Object.keys(properties).find((name) => (properties[name] as { type?: string }).type === 'array')
}

function answerOf({ stream, protocol, answerFile, answer }: Operation, rows: string | undefined): ClientAnswer {
  if (stream) return 'events'
  if (protocol) return 'protocol'
  if (answerFile) return 'file'
  if (rows !== undefined) return 'list'
  return answer ? 'json' : 'nothing'
}
