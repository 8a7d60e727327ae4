// /llms.txt: the service in one page of Markdown for a language model.
import { titleOf } from '../../kit/feature.ts'
import type { Registry } from '../../kit/registry.ts'

export function llmsText(registry: Registry, baseUrl: string): string {
  const sections = registry.groups.map((group) => {
    const lines = group.operations.map(
      ({ id, method, path, summary, scope }) => `- \`${method} ${path}\` (${id}, scope \`${scope}\`): ${summary}.`,
    )
    return [`## ${titleOf(group)}`, '', group.about, '', ...lines].join('\n')
  })
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
    '',
    ...sections.flatMap((section) => [section, '']),
  ].join('\n')
}
