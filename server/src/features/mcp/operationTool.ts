// An operation as an MCP tool: its arguments from path, query and body, its hints from method and status, and the call it becomes.
import { Fault } from '../../base/errors.ts'
import { keyOfText } from '../../kit/idempotency.ts'
import type { Operation } from '../../kit/operation.ts'
import { isMutating } from '../../kit/operation.ts'
import type { OperationCall } from '../../kit/protocol.ts'
import { nounOf } from '../../kit/resources.ts'
import { acceptedNames } from '../../kit/spellings.ts'
import { brief, outline, withoutNull } from './compactSchema.ts'

type Json = Record<string, unknown>

export interface ListedTool {
  name: string
  description: string
  inputSchema: { type: 'object'; properties: Json; required?: string[] }
  outputSchema?: { type: 'object' }
  annotations: Json
}

const keyField = 'idempotency_key'

/** `teamId` in a path is `team_id` among the arguments. */
const fieldOf = (parameter: string): string => parameter.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const made = new WeakMap<Operation, ListedTool>()

/** Made once for an operation, which never changes. */
export function toolOf(operation: Operation): ListedTool {
  let tool = made.get(operation)
  if (!tool) made.set(operation, (tool = makeTool(operation)))
  return tool
}

function makeTool(operation: Operation): ListedTool {
  const { id, summary, description, parameters, query, body, answer } = operation
  const path = parameters.map((name): [string, Json] => [fieldOf(name), { type: 'string', ...describePath(name) }])
  const asked = Object.entries(query?.properties ?? {}).map(([name, one]): [string, Json] => [name, outline(one)])
  const told = Object.entries(body?.properties ?? {}).map(([name, one]): [string, Json] => [
    name,
    outline(needsNull(operation, name) ? one : withoutNull(one)),
  ])
  const key: [string, Json][] = isMutating(operation) ? [[keyField, keySchema]] : []
  const fields = [...path, ...asked, ...told, ...key]
  requireNoCollision(
    id,
    fields.map(([name]) => name),
  )
  const required = [
    ...path.map(([name]) => name).filter((name) => name !== 'team_id'),
    ...(query?.required ?? []).filter((name) => !hasDefault(query?.properties[name])),
    ...(body?.required ?? []),
  ]
  return {
    name: id,
    description: brief(`${summary}. ${description ?? ''}`.trim()),
    inputSchema: { type: 'object', properties: Object.fromEntries(fields), ...(required.length > 0 && { required }) },
    ...(answer && isObject(answer) && { outputSchema: { type: 'object', ...outline(answer) } }),
    annotations: { title: summary, ...hintsOf(operation) },
  }
}

const hasDefault = (schema: object | undefined): boolean => schema !== undefined && 'default' in schema

/** In a change of a record, null removes a value, and a field that is left out stays as it is. */
const needsNull = ({ method, body }: Operation, name: string): boolean =>
  method === 'PATCH' || (body?.required?.includes(name) ?? false)

const keySchema: Json = {
  type: 'string',
  description: 'Makes a repeat safe: the same key gets the first answer again.',
}

const isObject = (schema: object): boolean => (schema as { type?: string }).type === 'object'

function describePath(parameter: string): Json {
  const noun = nounOf(parameter)
  return noun === 'team' ? { description: 'Yours unless given.' } : noun ? {} : { description: `The ${parameter}.` }
}

/** A POST that creates or accepts something only adds. Any other change may destroy something. */
function hintsOf(operation: Operation): Json {
  if (operation.onlyReads) return { readOnlyHint: true }
  const { method, status } = operation
  return {
    readOnlyHint: false,
    destructiveHint: !(method === 'POST' && (status === 201 || status === 202)),
    idempotentHint: method !== 'POST',
  }
}

function requireNoCollision(id: string, names: string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined)
    throw new Error(`the operation ${id} has two arguments named ${twice}, and so cannot be a tool`)
}

/** The arguments of a call as the operation takes them over HTTP. Throws a Fault for what could not be sent there. */
export function askedOf(operation: Operation, given: Json, teamId: string): Omit<OperationCall, 'idempotencyKey'> {
  const params: Record<string, string> = {}
  for (const name of operation.parameters) {
    const field = fieldOf(name)
    const value = given[field] ?? (field === 'team_id' ? teamId : undefined)
    if (value === undefined) throw new Fault('invalid_request', `${field} is missing in the arguments.`)
    params[name] = textOf(value)
  }
  const search = acceptedNames(operation.query)
    .filter((name) => given[name] !== undefined && given[name] !== null)
    .map((name) => `${name}=${encodeURIComponent(scalarOf(name, given[name]))}`)
  const fields = acceptedNames(operation.body).filter((name) => Object.hasOwn(given, name))
  const body = isMutating(operation) ? Object.fromEntries(fields.map((name) => [name, given[name]])) : undefined
  return { params, search: search.join('&'), body }
}

/** Undefined: none was given. */
export function keyOf(operation: Operation, given: Json): string | undefined {
  const key = given[keyField]
  if (key === undefined || key === null || !isMutating(operation)) return undefined
  if (typeof key !== 'string') throw new Fault('invalid_idempotency_key')
  return keyOfText(key)
}

/** An id that is not a text refers to nothing, and the operation says so. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

function scalarOf(name: string, value: unknown): string {
  if (typeof value === 'object') throw new Fault('invalid_request', `${name} must be text, a number, true or false.`)
  return textOf(value)
}
