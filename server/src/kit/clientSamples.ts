// How an operation is called from a program and from a terminal, as samples for the reference and for models.
import { clientCallOf, type ClientCall } from './clientCall.ts'
import { exampleOf } from './openapi.ts'
import type { Operation } from './operation.ts'
import type { TObject, TSchema } from './schema.ts'
import { argumentsText, flagOf, lineWidth, shellWord } from './sourceText.ts'

/** An entry of `x-codeSamples`, which Scalar and other readers of OpenAPI documents know. */
interface ClientSample {
  lang: 'TypeScript' | 'Shell'
  label: 'SDK' | 'CLI'
  source: string
}

const id = '01981c5e-7a40-7c8e-9d7a-4f5b6c7d8e9f'
/** Parameters of paths that are not ids. */
const plainParameters: Record<string, string> = { path: 'prices.md', provider: 'github' }

const head = "import { Runyard } from '@runyard/sdk'\n\nconst runyard = new Runyard()\n"

/** None for an operation that clients do not have. */
export function clientSamples(operation: Operation): ClientSample[] {
  const call = clientCallOf(operation)
  if (!call) return []
  return [
    { lang: 'TypeScript', label: 'SDK', source: head + sdkLine(operation, call) },
    { lang: 'Shell', label: 'CLI', source: cliLine(operation, call) },
  ]
}

/** The statement that calls it: `const answer = await runyard.runs.start({ … })`. */
export function sdkLine(operation: Operation, call: ClientCall): string {
  const { group, method, input, answer } = call
  const given = sampleInput(operation, call)
  const ids = call.parameters.map(({ inPath }) => parameterOf(inPath))
  if (input === 'bytes') {
    const { path, file } = given
    return `const stored = await runyard.${group}.upload(${argumentsText([...ids, path, file])})`
  }
  const called = `runyard.${group}.${method}(${argumentsText(Object.keys(given).length > 0 ? [...ids, given] : ids)})`
  if (answer === 'events') return `for await (const event of ${called}) console.log(event)`
  if (answer === 'list') return `for await (const row of ${called}) console.log(row)`
  if (answer === 'nothing') return `await ${called}`
  return `const ${answer === 'file' ? 'file' : 'answer'} = await ${called}`
}

/** Behind a space it would be taken for another flag. */
const beginsWithDash = /^'?-/

/** The same in a terminal: `runyard call startRun --agent-id … --message …`. */
export function cliLine(operation: Operation, call: ClientCall): string {
  const fields = schemaOf(operation, call)?.properties ?? {}
  const words = [
    ...call.parameters.map(({ inPath }) => [inPath, shellWord(parameterOf(inPath))]),
    ...Object.entries(sampleInput(operation, call)).map(([name, value]) => [name, typed(value, fields[name])]),
    ...(call.answer === 'file' ? [['out', 'page']] : []),
  ].map(([name = '', value = '']) => `--${flagOf(name)}${beginsWithDash.test(value) ? '=' : ' '}${value}`)
  const line = ['runyard call', operation.id, ...words].join(' ')
  return line.length <= lineWidth ? line : [`runyard call ${operation.id}`, ...words].join(' \\\n  ')
}

const parameterOf = (name: string): string => plainParameters[name] ?? id

function schemaOf({ body, query, takesBytes }: Operation, { input }: ClientCall): TObject | undefined {
  return { body, query, bytes: takesBytes?.form, none: undefined }[input]
}

/** The example of the declaration; without one, the fields that must be given. A change without any needs at least one field. */
function sampleInput(operation: Operation, call: ClientCall): Record<string, unknown> {
  const schema = schemaOf(operation, call)
  if (call.input === 'bytes') return { path: 'invoices/4711.pdf', file: './4711.pdf' }
  if (!schema || call.answer === 'events') return {}
  const { examples } = schema as { examples?: Record<string, unknown>[] }
  if (examples?.[0]) return examples[0]
  const names = Object.keys(schema.properties)
  const required = names.filter((name) => isRequired(schema, name))
  const shown = required.length === 0 && operation.method === 'PATCH' ? names.slice(0, 1) : required
  return Object.fromEntries(shown.map((name) => [name, exampleOf(schema.properties[name])]))
}

const isRequired = (schema: TObject, name: string): boolean =>
  ((schema.required as string[] | undefined) ?? []).includes(name) &&
  (schema.properties[name] as { default?: unknown }).default === undefined

/** What is typed for a value: text as it is where a field takes text, otherwise JSON. `@` would mean a file. */
function typed(value: unknown, schema: TSchema | undefined): string {
  if (typeof value !== 'string' || !takesText(schema)) return shellWord(JSON.stringify(value))
  return shellWord(value.startsWith('@') ? `@${value}` : value)
}

interface Shape {
  type?: string
  enum?: unknown[]
  const?: unknown
  anyOf?: Shape[]
}

function takesText(schema: unknown): boolean {
  const { type, enum: choices = [], const: constant, anyOf = [] } = (schema ?? {}) as Shape
  return type === 'string' || [constant, ...choices].some((one) => typeof one === 'string') || anyOf.some(takesText)
}
