// How clients call an operation: `runs.start` of the SDK and its arguments. The SDK, the command line and the reference follow it.
import type { ClientGroup } from './clientGroups.ts'
import type { Operation } from './operation.ts'
import type { TObject } from './schema.ts'

/** What an operation gives a client: JSON, nothing, pages of a list, a file, a stream of events, or the answer of another protocol. */
type ClientAnswer = 'json' | 'nothing' | 'list' | 'file' | 'events' | 'protocol'

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
