// The table of operations for the command line: what `runyard call` takes for each, from the declarations.
import { clientCallOf, type ClientCall } from '../../server/src/kit/clientCall.ts'
import type { Operation } from '../../server/src/kit/operation.ts'
import type { Registry } from '../../server/src/kit/registry.ts'
import type { Schema } from './typeText.ts'

/** `mixed`: text, or JSON when it is an object or a list. */
type Kind = 'text' | 'number' | 'boolean' | 'json' | 'mixed' | 'file'

interface Field {
  name: string
  kind: Kind
  isRequired: boolean
  says: string
  choices?: unknown[]
}

export function operationTable(registry: Registry): string {
  const rows = registry.operations.flatMap((operation) => {
    const call = clientCallOf(operation)
    return call ? [rowOf(operation, call)] : []
  })
  return [
    '// Written by `npm run openapi` from the declarations of the operations. Do not edit.',
    "import type { OperationRow } from '../call/operationRow.ts'",
    '',
    'export const operations: OperationRow[] = [',
    ...rows.map((row) => `  ${JSON.stringify(row)},`),
    ']',
    '',
  ].join('\n')
}

function rowOf(operation: Operation, call: ClientCall): object {
  const { id, summary, description, scope } = operation
  const { group, method, parameters, answer } = call
  return {
    id,
    group,
    method,
    summary,
    says: [description ?? `${summary}.`, `Needs the scope ${scope}.`].join(' '),
    answer,
    input: call.input,
    parameters: parameters.map(({ inPath }) => inPath),
    fields: fieldsOf(operation, call),
  }
}

/** The fields of the one object that an operation takes. */
export function fieldsOf({ query, body, takesBytes }: Operation, call: ClientCall): Field[] {
  const input = { body, query, bytes: takesBytes?.form, none: undefined }[call.input] as Schema | undefined
  const required = input?.required ?? []
  return Object.entries(input?.properties ?? {}).map(([name, schema]) => fieldOf(name, schema, required))
}

function fieldOf(name: string, schema: Schema, required: string[]): Field {
  const shapes = shapesOf(schema)
  const choices = shapes.flatMap(({ enum: some = [], const: one }) => (one === undefined ? some : [one]))
  const isOnlyChoice = shapes.every((one) => one.enum || one.const !== undefined || one.type === 'null')
  return {
    name,
    kind: kindOf(shapes),
    isRequired: required.includes(name) && schema.default === undefined,
    says: [schema, ...shapes]
      .flatMap(({ description }) => description ?? [])
      .filter(isFirst)
      .join(' '),
    ...(isOnlyChoice && choices.length > 0 && { choices }),
  }
}

const isFirst = (text: string, index: number, all: string[]): boolean => all.indexOf(text) === index

/** The alternatives of a schema, with the descriptions on the way. */
function shapesOf(schema: Schema): Schema[] {
  const { anyOf, type } = schema
  if (anyOf) {
    const { description } = schema
    return anyOf.flatMap(shapesOf).map((one) => (description && !one.description ? { ...one, description } : one))
  }
  return Array.isArray(type) ? type.map((one) => ({ ...schema, type: one })) : [schema]
}

function kindOf(shapes: Schema[]): Kind {
  if (shapes.some((one) => 'contentMediaType' in one)) return 'file'
  const types = new Set(shapes.map(({ type, enum: some, const: one }) => type ?? typeof (one ?? some?.[0] ?? {})))
  types.delete('null')
  const [only] = types
  if (types.has('string')) return types.has('object') || types.has('array') ? 'mixed' : 'text'
  if (types.size > 1) return 'json'
  if (only === 'integer' || only === 'number') return 'number'
  return only === 'boolean' ? 'boolean' : 'json'
}
