// Reads the served OpenAPI document: its operations, what each takes and answers, and checks by its own schemas.
import assert from 'node:assert/strict'
import { Compile, type Validator } from 'typebox/schema'

/** The part of JSON Schema that the document is written in. */
export interface Schema {
  $ref?: string
  type?: string
  format?: string
  pattern?: string
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  allOf?: Schema[]
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  exclusiveMaximum?: number
  multipleOf?: number
  items?: Schema
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  properties?: Record<string, Schema>
  required?: string[]
  patternProperties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  minProperties?: number
  maxProperties?: number
  default?: unknown
  examples?: unknown[]
}

export interface Check {
  fits(value: unknown): boolean
  /** What does not fit, in a line. */
  explain(value: unknown): string
}

export interface DocumentedAnswer {
  /** The types that it may have; none: the answer has no body. */
  contentTypes: string[]
  /** Of its JSON. */
  check?: Check
  /** In lower case. */
  headers: string[]
}

export interface DocumentedOperation {
  id: string
  method: string
  /** With `{name}` for each parameter. */
  path: string
  pathParameters: string[]
  query: Record<string, Schema>
  body?: { schema: Schema; example: Record<string, unknown> }
  /** The body is a file, or a form that holds one. */
  takesBytes: boolean
  answers: Map<number, DocumentedAnswer>
}

export interface ApiDocument {
  operations: DocumentedOperation[]
  /** The schema behind a reference, with `allOf` drawn together. */
  resolve: (schema: Schema) => Schema
  /** Whether a value fits a schema of the document. */
  fits: (schema: Schema, value: unknown) => boolean
}

type Components = Record<string, Record<string, unknown>>

interface Served {
  paths: Record<string, Record<string, ServedOperation>>
  components: Components
}

interface ServedOperation {
  operationId: string
  parameters: { $ref?: string; name: string; in: string; schema: Schema }[]
  requestBody?: { content: Record<string, { schema: Schema; example: Record<string, unknown> }> }
  responses: Record<string, ServedResponse>
}

interface ServedResponse {
  $ref?: string
  headers?: Record<string, unknown>
  content?: Record<string, { schema: Schema }>
}

export function readDocument(text: string): ApiDocument {
  const served = JSON.parse(text) as Served
  const lookUp = <T extends { $ref?: string }>(thing: T): T => {
    if (thing.$ref === undefined) return thing
    const [, , kind, name] = thing.$ref.split('/') as [string, string, string, string]
    const found = served.components[kind]?.[name]
    assert.ok(found, `the document has nothing at ${thing.$ref}`)
    return lookUp(found as T)
  }
  // one schema is always the same object, or it would be compiled again for each value that is held against it
  const resolved = new Map<Schema, Schema>()
  const resolve = (schema: Schema): Schema => {
    const known = resolved.get(schema)
    if (known) return known
    const { allOf, ...found } = lookUp(schema)
    const made = allOf ? allOf.map(resolve).reduce(drawnTogether, found) : found
    resolved.set(schema, made)
    return made
  }
  const checks = new Map<Schema, Check>()
  const checkOf = (schema: Schema): Check => {
    let check = checks.get(schema)
    if (!check) checks.set(schema, (check = compile(schema, served.components)))
    return check
  }
  const strictComponents = strictly(served.components) as Components
  // most refusals of most operations have one of a few schemas
  const answerChecks = new Map<string, Check>()
  const answerCheckOf = (schema: Schema): Check => {
    const key = JSON.stringify(schema)
    let check = answerChecks.get(key)
    if (!check) answerChecks.set(key, (check = compile(strictly(schema) as Schema, strictComponents)))
    return check
  }
  const readAnswer = (given: ServedResponse): DocumentedAnswer => {
    const { headers = {}, content } = lookUp(given)
    const media = content?.['application/json']
    return {
      headers: Object.keys(headers).map((name) => name.toLowerCase()),
      contentTypes: Object.keys(content ?? {}),
      ...(media && { check: answerCheckOf(media.schema) }),
    }
  }
  const operations = Object.entries(served.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]): DocumentedOperation => {
      const parameters = one.parameters.map(lookUp)
      const body = one.requestBody?.content['application/json']
      return {
        id: one.operationId,
        method: method.toUpperCase(),
        path,
        pathParameters: [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!),
        query: Object.fromEntries(
          parameters.filter((parameter) => parameter.in === 'query').map(({ name, schema }) => [name, resolve(schema)]),
        ),
        takesBytes: one.requestBody?.content['application/octet-stream'] !== undefined,
        ...(body && { body: { schema: resolve(body.schema), example: body.example } }),
        answers: new Map(
          Object.entries(one.responses).map(([status, response]) => [Number(status), readAnswer(response)]),
        ),
      }
    }),
  )
  return { operations, resolve, fits: (schema, value) => checkOf(schema).fits(value) }
}

/** It is compiled with its first use: many answers never come. */
function compile(schema: Schema, components: Components): Check {
  let made: Validator | undefined
  const validator = () =>
    // the components are kept whole, so that `#/components/…` leads somewhere; looking through them takes longer than most schemas
    (made ??= Compile(JSON.stringify(schema).includes('"$ref"') ? { ...schema, components } : schema))
  return {
    fits: (value) => validator().Check(value),
    explain: (value) => validator().Errors(value)[1].map(sentenceOf).join('; '),
  }
}

const sentenceOf = (problem: { instancePath: string; message: string }): string =>
  `${problem.instancePath || 'the whole'} ${problem.message}`

const drawnTogether = (one: Schema, other: Schema): Schema => ({
  ...one,
  ...other,
  properties: { ...one.properties, ...other.properties },
  required: [...(one.required ?? []), ...(other.required ?? [])],
})

/** A copy in which an object has the properties it names and no others: what is answered must have been declared. */
function strictly(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strictly)
  if (typeof value !== 'object' || value === null) return value
  // the parts of an allOf see each other's properties, so none of them may be closed
  const entries = Object.entries(value).map(([key, item]) => [key, key === 'allOf' ? item : strictly(item)])
  const copy = Object.fromEntries(entries) as Record<string, unknown>
  const isClosed = 'properties' in copy && !('additionalProperties' in copy) && !('patternProperties' in copy)
  return isClosed && copy['type'] === 'object' ? { ...copy, additionalProperties: false } : copy
}
