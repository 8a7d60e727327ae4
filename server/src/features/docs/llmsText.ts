// /llms.txt and /llms-full.txt: the service in Markdown for a language model, as a page and with every field.
import { clientCallOf } from '../../kit/clientCall.ts'
import { cliLine, sdkLine } from '../../kit/clientSamples.ts'
import { titleOf } from '../../kit/feature.ts'
import type { Operation } from '../../kit/operation.ts'
import type { Registry } from '../../kit/registry.ts'
import type { TObject } from '../../kit/schema.ts'

/** A line for each operation. */
export const llmsText = (registry: Registry, baseUrl: string): string =>
  textOf(registry, baseUrl, [`- Every operation with its fields and calls: ${baseUrl}/llms-full.txt`], operationLine)

/** A section for each operation. */
export const llmsFullText = (registry: Registry, baseUrl: string): string =>
  textOf(
    registry,
    baseUrl,
    [
      '- A field with `?` may be left out. `a|b` is one of these values; `id` is a UUID; `time` is an ISO 8601 instant.',
    ],
    operationSection,
  )

function textOf(registry: Registry, baseUrl: string, more: string[], part: (operation: Operation) => string): string {
  const sections = registry.groups.map((group) =>
    [`## ${titleOf(group)}`, '', group.about, '', ...group.operations.map(part)].join('\n'),
  )
  return [
    '# Runyard',
    '',
    '> A self-hosted operations service for AI agents, over HTTP with JSON.',
    '',
    `- Base URL: ${baseUrl}`,
    `- OpenAPI document: ${baseUrl}/openapi.json`,
    `- Reference for people: ${baseUrl}/docs`,
    `- MCP endpoint: ${baseUrl}/v2/mcp (set-up of clients: ${baseUrl}/docs/mcp)`,
    '- Credential: `Authorization: Bearer <API key>`. `GET /v2/teams` tells the team id.',
    '- Errors are `{"error": "<code>", "message": "<what to do>"}`.',
    '- Any POST, PUT, PATCH or DELETE may carry an `Idempotency-Key`; a repeat gets the first answer again.',
    "- SDK for TypeScript: `import { Runyard } from '@runyard/sdk'`, then `const runyard = new Runyard()`. It reads `RUNYARD_URL` and " +
      '`RUNYARD_API_KEY`, knows the team, retries, and pages: a list is read with `for await`.',
    '- Command line: `runyard call OPERATION --field value`; `runyard help` lists the rest, such as `runyard runs`. ' +
      'Objects and lists are given as JSON.',
    ...more,
    '',
    ...sections.flatMap((section) => [section, '']),
  ].join('\n')
}

function operationLine(operation: Operation): string {
  const { id, method, path, summary, scope, client } = operation
  const sdk = client ? `, SDK \`${client}\`` : ''
  return `- \`${method} ${path}\` (${id}, scope \`${scope}\`${sdk}): ${summary}.`
}

function operationSection(operation: Operation): string {
  const { id, method, path, summary, description, scope } = operation
  const call = clientCallOf(operation)
  return [
    `### ${id}`,
    '',
    `\`${method} ${path}\`, scope \`${scope}\`. ${description ?? `${summary}.`}`,
    '',
    ...fieldLines('Query', operation.query),
    ...fieldLines('Body', operation.body ?? operation.takesBytes?.form),
    ...answerLines(operation),
    ...(call ? ['```ts', sdkLine(operation, call), '```', '', '```sh', cliLine(operation, call), '```', ''] : []),
  ].join('\n')
}

function fieldLines(title: string, schema: TObject | undefined): string[] {
  const names = Object.keys(schema?.properties ?? {})
  if (!schema || names.length === 0) return []
  const lines = names.map((name) => {
    const field = schema.properties[name] as Shape
    const may = !(schema.required as string[] | undefined)?.includes(name) || field.default !== undefined
    const says = field.description ?? field.anyOf?.find((one) => one.description)?.description
    return `- \`${name}${may ? '?' : ''}\` ${typeName(field)}${says ? `: ${says}` : ''}`
  })
  return [`${title}:`, ...lines, '']
}

function answerLines({ status, answer, answerFile, stream }: Operation): string[] {
  if (stream) return [`Answer ${status}: server-sent events.`, '']
  if (answerFile) return [`Answer ${status}: ${answerFile.types.join(', ')}.`, '']
  return [answer ? `Answer ${status}: \`${typeName(answer, 2)}\`` : `Answer ${status}: no body.`, '']
}

interface Shape {
  type?: string
  format?: string
  description?: string
  default?: unknown
  const?: string | number | boolean
  enum?: (string | number | boolean)[]
  anyOf?: Shape[]
  items?: Shape
  properties?: Record<string, Shape>
  required?: string[]
}

/** A type in a few words. Objects are opened to `depth` levels: one that holds too much says only that it is an object. */
function typeName(shape: Shape, depth = 1): string {
  const { type, format, const: constant, enum: choices, anyOf, items, properties } = shape
  if (constant !== undefined) return String(constant)
  if (choices) return choices.map(String).join('|')
  if (anyOf) return [...new Set(anyOf.map((one) => typeName(one, depth)))].join('|')
  if (type === 'array') return `[${items ? typeName(items, depth) : 'any'}]`
  if (properties && depth > 0) {
    const fields = Object.entries(properties).map(
      ([name, field]) => `${name}${shape.required?.includes(name) ? '' : '?'}: ${typeName(field, depth - 1)}`,
    )
    return `{${fields.join(', ')}}`
  }
  if (format === 'uuid') return 'id'
  if (format === 'date-time') return 'time'
  return type ?? 'any'
}
