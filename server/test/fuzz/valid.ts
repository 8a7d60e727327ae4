// Makes requests that fit the document: values of its schemas, and records of a team to name in paths and bodies.
import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import type { Arbitrary } from 'fast-check'
import { newId } from '../../src/base/ids.ts'
import { nounOf } from '../../src/kit/resources.ts'
import { confirmationMail, readyCaller } from '../kit/mailSeeds.ts'
import { outside } from '../kit/outside.ts'
import { seederFor, seeders, seedTeam, type TestTeam } from '../kit/seed.ts'
import type { TestApp } from '../kit/testApp.ts'
import type { ApiDocument, DocumentedOperation, Schema } from './document.ts'
import type { Draft } from './send.ts'

/** Body fields that name a record by another word than its noun. Any other `<noun>_id` is found by that noun. */
const namesOfRecords: Record<string, (team: TestTeam) => string | null | Promise<string>> = {
  user_id: (team) => team.memberId,
  held_by_user_id: (team) => team.memberId,
  assignee_user_id: (team) => team.memberId,
  source_build_id: (team) => seeders['build']!(team, {}),
  // of the same agent as another field names, or there is none to name yet
  build_id: () => null,
  sandbox_id: () => null,
  case_queue_id: (team) => seeders['queue']!(team, {}),
  // of a mail that was sent to the caller
  token: (team) => confirmationMail(team),
  // no record, but there is one alone that answers
  mcp_server_url: async () => (await outside()).mcpServerUrl,
}

/** Body fields that two records may not share. */
const uniqueFields: Record<string, () => string> = {
  email: () => `${newId()}@example.com`,
}
/** The names of secrets are words. */
const wordId = (): string => `set_${newId().replaceAll('-', '_')}`

/** And those of one operation. */
const uniqueFieldsOf: Record<string, typeof uniqueFields> = {
  createQueue: { name: newId },
  createConnection: { name: newId },
  createSecret: { name: wordId },
  updateSecret: { name: wordId },
  createLogin: { username: newId },
  updateLogin: { username: newId },
  updateTeamFile: { name: newId },
  authorizeMcpOAuth: { name: newId },
  finalizeThirdPartyOAuth: { broker_connection_id: newId },
  createLabel: { value: newId },
  // a member has one view of a name
  createView: { name: newId },
  updateView: { name: newId },
  createAlertRule: { name: newId },
  updateAlertRule: { name: newId },
}

/** A team may have only a few of what these make, so each record that they are tried on gets a new team. */
const fillsTeam = new Set(['startReplay', 'createAlertRule'])

/** What one operation is tried on: a team of its own, and records that a good request may name. */
export interface Stage {
  operation: DocumentedOperation
  /** The document's example on this team's records: the good request that every case is a change of. */
  draft(): Draft
  /** A good request with other values. */
  draftWith(values: ValidValues): Draft
  /** Other records: those named so far may be gone, or in a state that forbids a second time. */
  renew(): Promise<void>
}

export interface ValidValues {
  query: string
  json: Record<string, unknown> | undefined
}

export async function prepareStage(
  service: TestApp,
  document: ApiDocument,
  operation: DocumentedOperation,
  onTeam: (team: TestTeam) => void,
): Promise<Stage> {
  let team: TestTeam | undefined
  const inBody = operation.body ? namesIn(document, operation.body.schema) : []
  let ids: Record<string, string> = {}
  let records: Record<string, string | null> = {}
  const renew = async () => {
    if (!team || fillsTeam.has(operation.id)) onTeam((team = await seedTeam(service, { name: operation.id })))
    const above = await recordsOfPath(team, operation)
    await readyCaller(operation.id, team)
    ids = Object.fromEntries(
      operation.pathParameters.map((name) => [name, encodeURIComponent(above[nounOf(name) ?? name]!)]),
    )
    const own = team
    records = Object.fromEntries(await Promise.all(inBody.map(async (n) => [n, await recordForBody(own, n, above)])))
  }
  await renew()
  const base = (): Draft => ({
    method: operation.method,
    path: operation.path,
    ids: { ...ids },
    query: queryOf(operation),
    headers: { authorization: `Bearer ${team!.key}` },
  })
  const { example } = operation.body ?? {}
  const unique = { ...uniqueFields, ...uniqueFieldsOf[operation.id] }
  const withRecords = (json: unknown) =>
    fit(document, operation.body!.schema, json, '', (name, value) => {
      if (name in records) return records[name]
      // what was drawn stands as it is; what the example says was said before
      return value === (example as Record<string, unknown>)[name] ? unique[name]?.() : undefined
    }) as Draft['json']
  return {
    operation,
    renew,
    draft: () => ({
      ...base(),
      ...(operation.body && {
        json: withRecords(example)!,
      }),
    }),
    draftWith: ({ query, json }) => ({
      ...base(),
      query: query || queryOf(operation),
      ...(json && { json: withRecords(json)! }),
    }),
  }
}

/** The file or folder of the document's example, which the seeds have: without it most cases would be refused for its lack. */
const queryOf = ({ query }: DocumentedOperation): string =>
  Object.entries(query)
    .filter(([, { format }]) => format === 'path')
    .map(([name, { examples }]) => `${name}=${encodeURIComponent(String(examples![0]))}`)
    .join('&')

/** By their nouns, one after the other: each is made below those before it. */
async function recordsOfPath(team: TestTeam, operation: DocumentedOperation): Promise<Record<string, string>> {
  const above: Record<string, string> = {}
  for (const parameter of operation.pathParameters) {
    const noun = nounOf(parameter) ?? parameter
    const seeder = seederFor(operation.id, noun)
    assert.ok(seeder ?? noun === 'team', `test/kit/seed.ts needs a line for ${noun}`)
    above[noun] = seeder ? await seeder(team, above) : team.id
  }
  return above
}

/** `label_ids` names labels as `label_id` does. */
const nounNamed = (name: string): string => nounOf(name.replace(/_ids$/, '_id')) ?? ''

/** What several are named of stands below what the path names, such as the labels of its queue. */
async function recordForBody(team: TestTeam, name: string, above: Record<string, string>): Promise<string | null> {
  if (name in namesOfRecords) return namesOfRecords[name]!(team)
  return seeders[nounNamed(name)]!(team, name.endsWith('_ids') ? above : {})
}

/** The fields of a body that name records. */
function namesIn(document: ApiDocument, schema: Schema, depth = 0): string[] {
  if (depth > 5) return []
  const { properties = {}, items, anyOf = [] } = document.resolve(schema)
  const own = Object.keys(properties).filter((name) => name in namesOfRecords || nounNamed(name) in seeders)
  const parts = [...Object.values(properties), ...(items ? [items] : []), ...anyOf]
  return [...new Set([...own, ...parts.flatMap((part) => namesIn(document, part, depth + 1))])]
}

/** The same value with this team's records in it, and with times that are still to come. */
function fit(
  document: ApiDocument,
  given: Schema,
  value: unknown,
  name: string,
  stand: (name: string, value: string) => string | null | undefined,
): unknown {
  const resolved = document.resolve(given)
  const schema = resolved.anyOf?.map(document.resolve).find((one) => document.fits(one, value)) ?? resolved
  if (typeof value === 'string') {
    const isPast = schema.format === 'date-time' && new Date(value) < new Date()
    const stood = stand(name, value)
    if (stood !== undefined) return stood
    return isPast ? new Date(Date.now() + 3_600_000).toISOString() : value
  }
  if (Array.isArray(value)) return value.map((item) => fit(document, schema.items ?? {}, item, name, stand))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, fit(document, schema.properties?.[key] ?? {}, item, key, stand)]),
  )
}

/** Good values of an operation's query and body. */
export function validValuesOf(document: ApiDocument, operation: DocumentedOperation): Arbitrary<ValidValues> {
  const parameters = Object.entries(operation.query).map(([name, schema]) =>
    fc.option(
      valueOf(document, schema, 0).map((value) => `${name}=${encodeURIComponent(String(value))}`),
      { nil: undefined, freq: 2 },
    ),
  )
  const json = operation.body ? valueOf(document, operation.body.schema, 0) : fc.constant(undefined)
  return fc
    .tuple(fc.tuple(...parameters), json)
    .map(([query, body]) => ({ query: query.filter(Boolean).join('&'), json: body as ValidValues['json'] }))
}

/** The document's example, as it stands or with one field of its body made anew: accepted where fields depend on each other. */
export function nearExampleOf(document: ApiDocument, operation: DocumentedOperation): Arbitrary<ValidValues> {
  const { properties } = operation.body ? document.resolve(operation.body.schema) : {}
  const example = operation.body?.example
  if (!properties || Object.keys(properties).length === 0 || typeof example !== 'object' || example === null) {
    return validValuesOf(document, operation)
  }
  const changed = fc
    .constantFrom(...Object.entries(properties))
    .chain(([name, schema]) => valueOf(document, schema, 1).map((value) => ({ ...example, [name]: value })))
  return fc.oneof(fc.constant(example), changed).map((json) => ({ query: '', json: json as ValidValues['json'] }))
}

const readable = (text: string): string => text.replaceAll('\u0000', ' ')
const lengthUsual = 80
const depthUsual = 4

/** Any value that fits a schema. */
export function valueOf(document: ApiDocument, given: Schema, depth: number): Arbitrary<unknown> {
  const schema = document.resolve(given)
  const { type, anyOf, enum: members, const: constant } = schema
  if (constant !== undefined) return fc.constant(constant)
  if (members) return fc.constantFrom(...members)
  if (anyOf) return fc.oneof(...anyOf.map((one) => valueOf(document, one, depth)))
  switch (type) {
    case 'string':
      return textOf(document, schema)
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -2147483648, max: schema.maximum ?? 2147483647 })
    case 'number':
      return fc.double({ min: schema.minimum ?? -1e9, max: schema.maximum ?? 1e9, noNaN: true })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return listOf(document, schema, depth)
    case 'object':
      return objectOf(document, schema, depth)
    case undefined:
      return fc.jsonValue({ maxDepth: 2 })
    default:
      return assert.fail(`fuzz/valid.ts cannot make a value of the type ${type}`)
  }
}

function listOf(document: ApiDocument, schema: Schema, depth: number): Arbitrary<unknown[]> {
  const { items = {}, minItems = 0, maxItems = 10, uniqueItems } = schema
  const maxLength = depth > depthUsual ? minItems : Math.min(maxItems, minItems + 6)
  const settings = { minLength: minItems, maxLength }
  const item = valueOf(document, items, depth + 1)
  return uniqueItems ? fc.uniqueArray(item, { ...settings, selector: JSON.stringify }) : fc.array(item, settings)
}

// made once: fast-check prepares its dangerous strings again for each
const fieldName = fc.stringMatching(/^[a-z_]{1,12}$/)

function objectOf(document: ApiDocument, schema: Schema, depth: number): Arbitrary<object> {
  const { properties, required = [], patternProperties, additionalProperties } = schema
  if (properties) {
    const isWanted = (name: string) => depth <= depthUsual || required.includes(name)
    const wanted = Object.entries(properties).filter(([name]) => isWanted(name))
    const fields = wanted.map(([name, one]) => [name, valueOf(document, one, depth + 1)] as const)
    return fc.record(Object.fromEntries(fields), { requiredKeys: required, noNullPrototype: true })
  }
  const open = typeof additionalProperties === 'object' ? additionalProperties : {}
  const value = Object.values(patternProperties ?? {})[0] ?? open
  return fc
    .dictionary(fieldName, valueOf(document, value, depth + 1), { noNullPrototype: true })
    .filter((object) => document.fits(schema, object))
}

function textOf(document: ApiDocument, schema: Schema): Arbitrary<string> {
  const { format, pattern, minLength = 0, maxLength = minLength + lengthUsual } = schema
  if (format === 'date-time') return instant
  if (format === 'uuid') return fc.uuid({ version: 7 })
  // a public address as it stands: a name would be looked up, which is slow without a network
  if (format === 'uri') return fc.webPath().map((path) => `https://8.8.8.8${path}`)
  if (format === 'email') return fc.emailAddress()
  if (format === 'path')
    return fc.constantFrom('', './', '/workspace/').map((start) => start + String(schema.examples![0]))
  assert.ok(format === undefined, `fuzz/valid.ts cannot make text of the format ${format}`)
  if (pattern !== undefined) {
    const matching = fc.stringMatching(new RegExp(pattern, 'u')).map(readable)
    return matching.filter((text) => text.isWellFormed() && document.fits(schema, text))
  }
  return plainText(minLength, Math.min(maxLength, minLength + lengthUsual))
}

const plainTexts = new Map<string, Arbitrary<string>>()

/** Made once for each pair of lengths: fast-check prepares its dangerous strings anew for each. */
function plainText(minLength: number, maxLength: number): Arbitrary<string> {
  const key = `${minLength} ${maxLength}`
  let made = plainTexts.get(key)
  if (!made) plainTexts.set(key, (made = fc.string({ unit: 'binary', minLength, maxLength }).map(readable)))
  return made
}

/** Times to come, in the spellings of ISO 8601. */
const instant: Arbitrary<string> = fc
  .tuple(
    fc.date({ min: new Date('2100-01-01'), max: new Date('9999-12-30'), noInvalidDate: true }),
    fc.constantFrom<(iso: string) => string>(
      (iso) => iso,
      (iso) => iso.slice(0, 10),
      (iso) => `${iso.slice(0, 16)}Z`,
      (iso) => `${iso.slice(0, 19)}+05:30`,
      (iso) => `${iso.slice(0, 19)}-0800`,
      (iso) => iso.replace('.', ',').toLowerCase(),
    ),
  )
  .map(([date, spell]) => spell(date.toISOString()))
