// The generated part of the SDK: a type for everything that goes over the wire, and a method for each operation.
import { errorKinds, type ErrorCode } from '../../server/src/base/errors.ts'
import { clientCallOf, type ClientCall } from '../../server/src/kit/clientCall.ts'
import { clientGroups, type ClientGroup } from '../../server/src/kit/clientGroups.ts'
import { envelopeOf, eventNames } from '../../server/src/kit/event.ts'
import type { Operation } from '../../server/src/kit/operation.ts'
import type { Registry } from '../../server/src/kit/registry.ts'
import { nameOf } from '../../server/src/kit/schema.ts'
import { bareTypeText, commentText, typeText, type Named, type Schema } from './typeText.ts'

interface ClientOperation {
  operation: Operation
  call: ClientCall
}

/** The texts of `types.ts` and `groups.ts`. */
export function sdkFiles(registry: Registry): { types: string; groups: string } {
  const named: Named = new Map()
  const operations = registry.operations.flatMap((operation): ClientOperation[] => {
    const call = clientCallOf(operation)
    return call ? [{ operation, call }] : []
  })
  const wire = operations.flatMap((one) => wireTypes(one, named))
  const events = eventNames.map((name) => {
    const { sentWhen, schema } = envelopeOf(name)
    return { name, type: typeNameOf(name), text: declared(typeNameOf(name), schema, named, sentWhen) }
  })
  const types = [
    '// Written by `npm run openapi` from the declarations of the operations. Do not edit.',
    errorTypes,
    eventTypes(events),
    ...events.map(({ text }) => text),
    ...namedTypes(named),
    ...wire,
  ]
  return { types: indented(types.join('\n\n')), groups: indented(groupsText(operations)) }
}

const upper = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** `run.tool_call.completed` as `RunToolCallCompletedEvent`. */
const typeNameOf = (event: string): string => `${event.split(/[._]/).map(upper).join('')}Event`

const codesOf = (status: number): string =>
  (Object.keys(errorKinds) as ErrorCode[])
    .filter((code) => errorKinds[code].status === status)
    .map((code) => `'${code}'`)
    .join(' | ')

const statuses = [...new Set(Object.values(errorKinds).map(({ status }) => status))].toSorted((a, b) => a - b)

const errorTypes = [
  '/** The codes of refusals, by their HTTP status. */',
  'export interface ErrorCodes {',
  ...statuses.map((status) => `${status}: ${codesOf(status)}`),
  '}',
  '',
  'export type ErrorCode = ErrorCodes[keyof ErrorCodes]',
].join('\n')

const eventTypes = (events: { name: string; type: string }[]): string =>
  [
    '/** Every kind of event by its name, as webhooks and streams carry it. */',
    'export interface EventsByName {',
    ...events.map(({ name, type }) => `'${name}': ${type}`),
    '}',
    '',
    'export type EventName = keyof EventsByName',
    '/** One event; `event` says which. */',
    'export type RunyardEvent = EventsByName[EventName]',
  ].join('\n')

function declared(name: string, schema: Schema, named: Named, about: string | undefined, isInput = false): string {
  const text = bareTypeText(schema, named, isInput)
  const comment = commentText([about])
  return text.startsWith('{\n') && !text.includes('\n} ')
    ? `${comment}export interface ${name} ${text}`
    : `${comment}export type ${name} = ${text}`
}

/** A named schema may name others: they are found while it is written. */
function namedTypes(named: Named): string[] {
  const texts: string[] = []
  for (const [name, schema] of named) texts.push(declared(name, schema, named, schema.description))
  return texts
}

const inputName = ({ id }: Operation): string => `${upper(id)}Input`
const answerName = ({ id }: Operation): string => `${upper(id)}Answer`

function wireTypes({ operation, call }: ClientOperation, named: Named): string[] {
  const { body, query, answer } = operation
  const input = call.input === 'body' ? body : call.input === 'query' ? query : undefined
  const hasNamedAnswer = answer && nameOf(answer) !== undefined
  return [
    ...(input ? [declared(inputName(operation), input, named, undefined, true)] : []),
    ...(answer && !operation.stream
      ? [
          hasNamedAnswer
            ? `export type ${answerName(operation)} = ${typeText(answer, named)}`
            : declared(answerName(operation), answer, named, undefined),
        ]
      : []),
  ]
}

function groupsText(operations: ClientOperation[]): string {
  const names = (Object.keys(clientGroups) as ClientGroup[]).filter((name) =>
    operations.some(({ call }) => call.group === name),
  )
  const classes = names.map((name) =>
    classText(
      name,
      operations.filter(({ call }) => call.group === name),
    ),
  )
  const used = [...new Set(classes.join('\n').match(/\bt\.\w+/g))].map((name) => name.slice(2)).toSorted()
  return [
    '// Written by `npm run openapi` from the declarations of the operations. Do not edit.',
    "import { Group } from '../group.ts'",
    "import { withoutKey, type Call, type CallOptions } from '../call.ts'",
    "import type { FileAnswer } from '../files.ts'",
    "import type { List } from '../list.ts'",
    `import type {\n${used.map((name) => `${name},`).join('\n')}\n} from './types.ts'`,
    ...classes.map((text) => text.replaceAll(/\bt\.(\w+)/g, '$1')),
  ].join('\n\n')
}

function classText(name: ClientGroup, operations: ClientOperation[]): string {
  const methods = operations.filter(({ call }) => isGenerated(call)).map(methodText)
  return `${commentText([clientGroups[name]])}export class ${upper(name)}Group extends Group {\n${methods.join('\n\n')}\n}`
}

/** Streams, uploads and MCP messages are not one request with one JSON answer: their methods are written by hand. */
const isGenerated = ({ answer, input }: ClientCall): boolean =>
  answer !== 'events' && answer !== 'protocol' && input !== 'bytes'

function methodText({ operation, call }: ClientOperation): string {
  const { method, parameters, input, mayOmitInput, answer, rows } = call
  const args = [
    ...parameters.map(({ name }) => `${name}: string`),
    ...(input === 'none' ? [] : [`input${mayOmitInput ? '?' : ''}: t.${inputName(operation)}`]),
    'options?: CallOptions',
  ]
  const path = operation.path.replaceAll(/:(\w+)\*/g, ':$1+')
  const request = [
    `'${operation.method}'`,
    `'${path}'`,
    `{${parameters.map(({ name, inPath }) => (name === inPath ? name : `${inPath}: ${name}`)).join(', ')}}`,
    ...(input === 'none' ? ['undefined'] : ['input']),
    operation.onlyReads && operation.method !== 'GET' ? 'withoutKey(options)' : 'options',
    ...(answer === 'list' ? [`'${rows}'`] : []),
  ].join(', ')
  const says = commentText([
    `${operation.description ?? `${operation.summary}.`} Needs the scope \`${operation.scope}\`.`,
  ])
  return `${says}${method}(${args.join(', ')}): ${answerType(operation, call)} {\nreturn this.client.${kindOf(call)}(${request})\n}`
}

const kindOf = ({ answer }: ClientCall): string => (answer === 'list' ? 'list' : answer === 'file' ? 'file' : 'json')

function answerType(operation: Operation, { answer, rows }: ClientCall): string {
  if (answer === 'file') return 'Call<FileAnswer>'
  if (answer === 'nothing') return 'Call<undefined>'
  const name = `t.${answerName(operation)}`
  return answer === 'list' ? `List<${name}['${rows}'][number], ${name}>` : `Call<${name}>`
}

/** Two spaces for each open brace. */
function indented(text: string): string {
  let depth = 0
  const lines = text.split('\n').map((line) => {
    if (line.startsWith('}')) depth -= 1
    const written = line === '' ? '' : '  '.repeat(depth) + line
    if (line.endsWith('{')) depth += 1
    return written
  })
  return `${lines.join('\n')}\n`
}
