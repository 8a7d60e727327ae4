// The tools that an MCP server lists, with bounds on how many and how large they may be.
import type { Tool } from '@modelcontextprotocol/client'
import { McpTrouble } from './failures.ts'

export interface ListedTool {
  name: string
  title: string | null
  description: string | null
  input_schema: Record<string, unknown>
  annotations: Record<string, unknown> | null
}

const toolsMax = 500
const schemaBytesMax = 64 * 1024
const listBytesMax = 4 * 1024 * 1024

export function readTools(tools: Tool[], host: string): ListedTool[] {
  if (tools.length > toolsMax)
    throw new McpTrouble(`${host} lists ${tools.length} tools; at most ${toolsMax} can be used.`)
  const listed = tools.map((tool) => readTool(tool, host))
  if (Buffer.byteLength(JSON.stringify(listed)) > listBytesMax) throw new McpTrouble(`${host} lists too much.`)
  const names = new Set(listed.map(({ name }) => name))
  if (names.size < listed.length) throw new McpTrouble(`${host} lists two tools of one name.`)
  return listed
}

function readTool({ name, title, description, inputSchema, annotations }: Tool, host: string): ListedTool {
  if (Buffer.byteLength(JSON.stringify(inputSchema)) > schemaBytesMax) {
    throw new McpTrouble(`The tool ${name.slice(0, 100)} of ${host} has a schema of more than ${schemaBytesMax} bytes.`)
  }
  return {
    name,
    title: title ?? annotations?.title ?? null,
    description: description ?? null,
    input_schema: inputSchema,
    annotations: annotations ? { ...annotations } : null,
  }
}
