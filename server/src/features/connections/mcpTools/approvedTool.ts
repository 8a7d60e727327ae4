// A tool of an MCP server as it was listed and as a person approved it: only the approved text is ever shown to a model.
import { hash } from 'node:crypto'
import type { ListedTool } from '../../../drivers/mcp/mcp.ts'

/** What is stored of a listed tool besides its name. */
type ToolText = Omit<ListedTool, 'name'>

export interface PinnedTool {
  name: string
  listed: ToolText
  listed_hash: string
  approved: ToolText | null
  approved_hash: string | null
  is_gone: boolean
}

type ToolStatus = 'approved' | 'changed' | 'new' | 'gone'

export function statusOf({ is_gone, approved_hash, listed_hash }: PinnedTool): ToolStatus {
  if (is_gone) return 'gone'
  if (approved_hash === null) return 'new'
  return approved_hash === listed_hash ? 'approved' : 'changed'
}

/** A hash of everything that describes the tool to a model, and of what says whether a call may be repeated. The order of fields does not count. */
export const toolHash = ({ name, description, input_schema, annotations }: ListedTool): string =>
  hash('sha256', canonical({ name, description, input_schema, annotations }))

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const fields = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return `{${fields.map(([name, item]) => `${JSON.stringify(name)}:${canonical(item)}`).join(',')}}`
}

/** Why a person must allow a call of it; undefined: it is as it was approved. */
export function reasonToApprove(connectionName: string, tool: PinnedTool): string | undefined {
  const remedy = 'approveConnectionTools approves the tool as it is now.'
  if (tool.approved === null) return `Nobody has approved this tool of ${connectionName} yet. ${remedy}`
  if (tool.approved_hash === tool.listed_hash) return undefined
  return `${connectionName} has changed ${changesOf(tool.approved, tool.listed)} of this tool since it was approved. ${remedy}`
}

function changesOf(approved: ToolText, listed: ToolText): string {
  const parts = {
    description: 'the description',
    input_schema: 'the arguments',
    annotations: 'the annotations',
  } as const
  const changed = Object.entries(parts).filter(([field]) => {
    return canonical(approved[field as keyof typeof parts]) !== canonical(listed[field as keyof typeof parts])
  })
  return changed.map(([, words]) => words).join(' and ') || 'something'
}
