// The OpenAPI 3.1 document, from the same declarations that the pipeline runs.
import { mustHave } from '../base/mustHave.ts'
import { errorKinds, type ErrorCode, type ErrorStatus } from '../base/errors.ts'
import { isText, type AnswerFile } from './answerFile.ts'
import { clientGroups, type ClientGroup } from './clientGroups.ts'
import { envelopeOf, eventNames } from './event.ts'
import { capitalized, titleOf } from './feature.ts'
import { isMutating, type Operation } from './operation.ts'
import { nounOf, parametersOf, restParameterOf } from './resources.ts'
import { nameOf, type TSchema } from './schema.ts'
import { scopes } from './scopes.ts'
import { spellingsOf } from './spellings.ts'
import type { Registry, Group } from './registry.ts'

type Json = Record<string, unknown>

const documentVersion = '2026-07-18'
/** Every operation may answer with these, whatever it declares: the kit itself can return each of them. */
const errorStatuses: ErrorStatus[] = [400, 401, 403, 404, 409, 429, 500]

const errorTitles: Record<number, string> = {
  400: 'The request does not fit the operation.',
  401: 'No valid credential was sent.',
  403: 'The credential may not do this.',
  404: 'The credential can see nothing with this id.',
  409: 'The current state does not allow this.',
  429: 'Too many requests in this minute.',
  500: 'The server failed.',
}

const rateLimitHeaders = {
  'RateLimit-Limit': header('Requests a minute that the credential or its team may make.', 'integer'),
  'RateLimit-Remaining': header('Requests left in this minute.', 'integer'),
  'RateLimit-Reset': header('Whole seconds until the next minute of the limit begins.', 'integer'),
  'Retry-After': header('Whole seconds to wait before the next try; on a 429, and on a 409 of a busy key.', 'integer'),
}

/** A 409 says how long a key is busy. */
const headersByStatus: Partial<Record<ErrorStatus, string[]>> = {
  409: ['Retry-After'],
  429: Object.keys(rateLimitHeaders),
}

function header(description: string, type: string): Json {
  return { description, schema: { type } }
}

/** `samplesOf` gives the samples of an operation in the clients. The committed document has none (decision 0038). */
export function openapiDocument(
  registry: Registry,
  baseUrl: string,
  samplesOf: (operation: Operation) => object[] = () => [],
): Json {
  const schemas: Json = {}
  const plain = (schema: TSchema) => withReferences(schema, schemas)
  const paths: Record<string, Json> = {}
  for (const group of registry.groups) {
    for (const operation of group.operations) {
      const path = operation.path.replace(/:(\w+)\*?/g, '{$1}')
      const samples = samplesOf(operation)
      const described = {
        ...describe(operation, group, plain),
        ...(samples.length > 0 && { 'x-codeSamples': samples }),
      }
      paths[path] = { ...paths[path], [operation.method.toLowerCase()]: described }
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Runyard API',
      version: documentVersion,
      description:
        'Run operational AI agents and trust them: durable runs, people in the loop, queues of cases, signed events. ' +
        'JSON in and out, snake_case, ids are UUID v7. Errors are {"error", "message"}; every mutation takes an Idempotency-Key.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
      contact: { name: 'Runyard', url: `${baseUrl}/docs` },
    },
    servers: [{ url: baseUrl }],
    security: [{ bearer: [] }, { oauth2: [] }],
    tags: tagsOf(registry),
    paths,
    webhooks: Object.fromEntries(eventNames.map((name) => [name, describeWebhook(name, plain)])),
    components: {
      schemas: { ...schemas, Error: errorSchema },
      responses: Object.fromEntries(errorStatuses.map((status) => [`Error${status}`, describeError(status)])),
      headers: { 'X-Request-Id': header('Names this request in every log line.', 'string'), ...rateLimitHeaders },
      parameters: {
        IdempotencyKey: {
          name: 'Idempotency-Key',
          in: 'header',
          required: false,
          description:
            'Makes a repeat of this request safe: the first answer is stored for 24 hours and given again. Any characters that a header can carry.',
          schema: { type: 'string', minLength: 1, maxLength: 255 },
        },
        LastEventId: {
          name: 'Last-Event-ID',
          in: 'header',
          required: false,
          description: 'The id of the last event that was received: the stream continues after it.',
          schema: { type: 'string', pattern: '^[0-9]{1,15}$' },
        },
      },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key (ry_…) or an access token.' },
        oauth2: {
          type: 'oauth2',
          description: 'OAuth 2.0 client credentials (RFC 6749 §4.4).',
          flows: {
            clientCredentials: {
              tokenUrl: `${baseUrl}/oauth/token`,
              scopes: Object.fromEntries(scopes.map((scope) => [scope, scopeSentence(scope)])),
            },
          },
        },
      },
    },
  }
}

/** The noun under which clients have the operation; the name of its feature, where it is not for clients. */
function tagOf({ client }: Operation, group: Group): { name: string; description: string } {
  const noun = client?.split('.')[0] as ClientGroup | undefined
  return noun
    ? { name: titleOf({ name: noun }), description: clientGroups[noun] }
    : { name: titleOf(group), description: group.about }
}

function tagsOf({ groups }: Registry): Json[] {
  const tags = groups.flatMap((group) => group.operations.map((operation) => tagOf(operation, group)))
  return [...new Map(tags.map((tag) => [tag.name, tag])).values()].toSorted((a, b) => a.name.localeCompare(b.name))
}

const scopeSentence = (scope: string): string => {
  const [thing, verb = ''] = scope.split(':')
  return `${capitalized(verb)} ${thing}.`
}

function describe(operation: Operation, group: Group, plain: (schema: TSchema) => Json): Json {
  return {
    operationId: operation.id,
    summary: operation.summary,
    description: `${operation.description ?? `${operation.summary}.`} Needs the scope \`${operation.scope}\`.`,
    tags: [tagOf(operation, group).name],
    security: [{ bearer: [] }, { oauth2: [operation.scope] }],
    parameters: [
      ...pathParameters(operation),
      ...queryParameters(operation, plain),
      ...mutationParameters(operation),
      ...streamParameters(operation),
    ],
    ...requestBody(operation, plain),
    responses: {
      [operation.status]: {
        description: operation.answerFile?.description ?? 'Done.',
        headers: headersOf(['X-Request-Id', ...Object.keys(rateLimitHeaders)]),
        ...answerContent(operation, plain),
      },
      ...Object.fromEntries(errorStatuses.map((status) => [status, errorResponse(operation, status)])),
      ...protocolResponses(operation, plain),
    },
  }
}

function pathParameters({ path }: Operation): Json[] {
  return parametersOf(path).map((name) => ({
    name,
    in: 'path',
    required: true,
    description: describeParameter(path, name),
    schema: nounOf(name) ? { type: 'string', format: 'uuid' } : { type: 'string' },
  }))
}

function describeParameter(path: string, name: string): string {
  const noun = nounOf(name)
  if (noun) return `The id of the ${noun.replaceAll('_', ' ')}.`
  return name === restParameterOf(path) ? `The ${name}, whose slashes may be percent-encoded or not.` : `The ${name}.`
}

function queryParameters({ query }: Operation, plain: (schema: TSchema) => Json): Json[] {
  return Object.entries(query?.properties ?? {}).map(([name, property]) => {
    const { description, ...schema } = plain(property)
    // what has a default may be left out, though a handler always sees it
    const required = (query?.required?.includes(name) ?? false) && schema['default'] === undefined
    return { name, in: 'query', required, ...(description !== undefined && { description }), schema }
  })
}

const mutationParameters = (operation: Operation): Json[] =>
  isMutating(operation) ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []

const streamParameters = ({ stream }: Operation): Json[] =>
  stream ? [{ $ref: '#/components/parameters/LastEventId' }] : []

function requestBody(operation: Operation, plain: (schema: TSchema) => Json): Json {
  if (operation.takesBytes)
    return { requestBody: { required: false, content: bytesContent(plain(operation.takesBytes.form)) } }
  if (!operation.body) return {}
  return { requestBody: { required: false, content: jsonContent(plain(operation.body), exampleOf(operation.body)) } }
}

function answerContent({ answer, answerFile, stream, protocol }: Operation, plain: (schema: TSchema) => Json): Json {
  if (stream) return { content: streamContent(stream.example) }
  if (answerFile) return { content: fileContent(answerFile) }
  if (!answer) return {}
  const example = exampleOf(answer)
  const asEvents = protocol && streamContent(`event: message\ndata: ${JSON.stringify(example)}\n\n`)
  return { content: { ...jsonContent(plain(answer), example), ...asEvents } }
}

/** What a protocol answers besides a reply: nothing to a notification, and its own refusals instead of ours. */
function protocolResponses({ protocol }: Operation, plain: (schema: TSchema) => Json): Json {
  if (!protocol) return {}
  const schema = { anyOf: [{ $ref: '#/components/schemas/Error' }, plain(protocol.refusal)] }
  const refusals = ([400, 404] as const).map((status) => {
    const { description, headers, content } = describeError(status) as Json & { content: { [type: string]: Json } }
    const { example } = content['application/json'] ?? {}
    return [status, { description, headers, content: jsonContent(schema, example) }]
  })
  const taken = {
    description: 'Taken: there is nothing to answer.',
    headers: headersOf(['X-Request-Id', ...Object.keys(rateLimitHeaders)]),
  }
  return { 202: taken, ...Object.fromEntries(refusals) }
}

function errorResponse(operation: Operation, status: ErrorStatus): Json {
  const codes = operation.errors.filter((code) => errorKinds[code].status === status)
  const reference = { $ref: `#/components/responses/Error${status}` }
  if (codes.length === 0) return reference
  const { headers, content } = describeError(status) as { headers: Json; content: Json }
  return { description: `${errorTitles[status]} Here also: ${codes.join(', ')}.`, headers, content }
}

function describeError(status: ErrorStatus): Json {
  const names = ['X-Request-Id', ...(headersByStatus[status] ?? [])]
  const codes = Object.keys(errorKinds) as ErrorCode[]
  const code = mustHave(
    codes.find((one) => errorKinds[one].status === status),
    `an error of the status ${status}`,
  )
  return {
    description: errorTitles[status],
    headers: headersOf(names),
    content: jsonContent({ $ref: '#/components/schemas/Error' }, { error: code, message: errorKinds[code].says }),
  }
}

const headersOf = (names: string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const jsonContent = (schema: Json, example: unknown): Json => ({ 'application/json': { schema, example } })

/** A body of any type is shown as the most general one; bytes have no schema (OpenAPI 3.1 §4.8.14.3). */
const bytesContent = (form: Json): Json => ({
  'application/octet-stream': { schema: {} },
  'multipart/form-data': { schema: form },
})

/** Other files than texts have the format by which generators of clients know bytes. */
const fileContent = ({ types }: AnswerFile): Json =>
  Object.fromEntries(
    types.map((type) => [type, { schema: { type: 'string', ...(!isText(type) && { format: 'binary' }) } }]),
  )

/** OpenAPI 3.1 has no word for the parts of a stream: it is a text, shown by example. */
const streamContent = (example: string): Json => ({ 'text/event-stream': { schema: { type: 'string' }, example } })

const errorSchema: Json = {
  type: 'object',
  required: ['error', 'message'],
  properties: {
    error: { type: 'string', enum: Object.keys(errorKinds), description: 'The code to act upon.' },
    message: { type: 'string', description: 'What to do about it, for a person.' },
  },
  additionalProperties: false,
}

function describeWebhook(name: (typeof eventNames)[number], plain: (schema: TSchema) => Json): Json {
  const { sentWhen, schema } = envelopeOf(name)
  return {
    post: {
      operationId: `on ${name}`.replace(/[ ._]+(\w)/g, (_, letter: string) => letter.toUpperCase()),
      summary: name,
      description: `${sentWhen} Signed by X-Service-Signature and the Standard Webhooks headers; delivered at least once.`,
      tags: [],
      requestBody: { content: jsonContent(plain(schema), exampleOf(schema)) },
      responses: { '2XX': { description: 'Taken; anything else is tried again.' } },
    },
  }
}

/** A copy as plain JSON in which named schemas are references into the components. */
function withReferences(schema: TSchema, components: Json): Json {
  const name = nameOf(schema)
  if (name === undefined) return copy(schema, components) as Json
  components[name] ??= copy(schema, components)
  return { $ref: `#/components/schemas/${name}` }
}

function copy(value: unknown, components: Json): unknown {
  if (Array.isArray(value)) return value.map((item) => descend(item, components))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, item]) => [key, descend(item, components)])
  return Object.fromEntries([...entries, ...otherNames(value, components)])
}

/** Adds the other names of fields to the properties of an object: such a field appears under each of its names. */
const otherNames = (properties: object, components: Json): [string, unknown][] =>
  Object.entries(properties).flatMap(([name, schema]) =>
    (spellingsOf((schema ?? {}) as object).names ?? []).map((other): [string, unknown] => {
      const described = copy(schema, components) as Json
      return [other, { ...described, description: `Another spelling of \`${name}\`.` }]
    }),
  )

const descend = (value: unknown, components: Json): unknown =>
  typeof value === 'object' && value !== null && nameOf(value) !== undefined
    ? withReferences(value, components)
    : copy(value, components)

interface Exampled {
  type?: string
  examples?: unknown[]
  default?: unknown
  const?: unknown
  enum?: unknown[]
  anyOf?: Exampled[]
  items?: Exampled
  properties?: Record<string, Exampled>
  minLength?: number
  minimum?: number
}

/** A plausible value of a schema, so that every example in the document fits what it illustrates. */
export function exampleOf(schema: unknown): unknown {
  const { type, examples, const: constant, enum: choices, anyOf, items, properties, ...rest } = schema as Exampled
  if (examples) return examples[0]
  if (constant !== undefined) return constant
  if (rest.default !== undefined) return rest.default
  if (choices) return choices[0]
  if (anyOf) return exampleOf(anyOf[0])
  if (properties) return Object.fromEntries(Object.entries(properties).map(([key, one]) => [key, exampleOf(one)]))
  if (type === 'array') return items ? [exampleOf(items)] : []
  if (type === 'object') return {}
  if (type === 'integer' || type === 'number') return rest.minimum ?? 1
  if (type === 'boolean') return true
  if (type === 'string') return 'text'.padEnd(rest.minLength ?? 0, '.')
  return null
}
