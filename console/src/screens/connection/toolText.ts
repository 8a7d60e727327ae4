// A tool of an MCP server as a text, so that two versions of it can be compared.
import type { ConnectionTool } from '@runyard/sdk'
import { visible } from '../../parts/visibleText.ts'

export const toolText = (description: string | null, schema: Record<string, unknown> | null): string =>
  visible(`${description ?? ''}\n\n${JSON.stringify(schema ?? {}, null, 2)}\n`)

export const waitsForApproval = ({ status }: Pick<ConnectionTool, 'status'>): boolean =>
  status === 'changed' || status === 'new'
