// The tables of the page. Operations: what "Copy as" needs to write each of them as curl, as a program and as a command line. Scopes: what a key may be given. MCP clients: how each is set up.
import { mcpClients } from '../../server/src/features/docs/mcpClients.ts'
import { clientCallOf, type ClientCall } from '../../server/src/kit/clientCall.ts'
import type { Operation } from '../../server/src/kit/operation.ts'
import type { Registry } from '../../server/src/kit/registry.ts'
import { scopes } from '../../server/src/kit/scopes.ts'
import { fieldsOf } from './operationTable.ts'

/** In a file of its own: the dialog that needs it does without the large one. */
export const consoleScopes = (): string =>
  [
    '// Written by `npm run openapi` from the scopes of the service. Do not edit.',
    '',
    'export const scopes = [',
    ...scopes.map((scope) => `  '${scope}',`),
    '] as const',
    '',
  ].join('\n')

/** The page puts its own origin for the placeholder. Without TLS on another machine one of them needs more, so both forms are there. */
export const consoleMcpClients = (): string =>
  [
    '// Written by `npm run openapi` from the MCP clients that the documents of the service have. Do not edit.',
    '',
    'export interface McpClient {',
    '  name: string',
    '  where: string',
    '  snippet: string',
    '}',
    '',
    '/** What stands for the origin of the service. */',
    "export const placeholder = '//runyard.invalid'",
    '',
    `export const safeClients: McpClient[] = ${JSON.stringify(mcpClients('https://runyard.invalid'), null, 2)}`,
    '',
    `export const plainClients: McpClient[] = ${JSON.stringify(mcpClients('http://runyard.invalid'), null, 2)}`,
    '',
  ].join('\n')

/** One line an operation, in the order of their names. */
export function consoleTable(registry: Registry): string {
  const rows = registry.operations
    .flatMap((operation) => {
      const call = clientCallOf(operation)
      return call ? [{ id: operation.id, shape: shapeOf(operation, call) }] : []
    })
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
  return [
    '// Written by `npm run openapi` from the declarations of the operations. Do not edit.',
    "import type { OperationShape } from '../parts/operationShape.ts'",
    '',
    `export type OperationId =\n${rows.map(({ id }) => `  | '${id}'`).join('\n')}`,
    '',
    'export const operations: Record<OperationId, OperationShape> = {',
    ...rows.map(({ id, shape }) => `  ${id}: ${JSON.stringify(shape)},`),
    '}',
    '',
  ].join('\n')
}

function shapeOf(operation: Operation, call: ClientCall): object {
  const { method, path } = operation
  // text is the usual kind
  const fields = fieldsOf(operation, call).filter(({ kind }) => kind !== 'text')
  return {
    verb: method,
    path,
    call: `${call.group}.${call.method}`,
    input: call.input,
    answer: call.answer,
    fields: Object.fromEntries(fields.map(({ name, kind }) => [name, kind])),
  }
}
