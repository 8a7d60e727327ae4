// Which tools a caller is offered: the sets that the URL names, limited to what the credential may do.
import { Fault } from '../../base/errors.ts'
import type { Operation } from '../../kit/operation.ts'
import type { Scope } from '../../kit/scopes.ts'
import { toolOf, type ListedTool } from './operationTool.ts'
import { waitForRunTool } from './waitForRun.ts'
import { runningPart } from '../../kit/runningPart.ts'
import { registryOf, type Registry } from '../../kit/registry.ts'

/** What most conversations need; the list of these must stay below 24 KB. */
const core = `
  getProfile listAgents getAgent createAgent createSchedule
  startRun listRuns getRun explainRun listRunMessages postRunMessage stopRun retryRun
  listHumanRequests respondToHumanRequest
  listRunSandboxFilesByRun getRunSandboxFileContentByRun
  listAgentMemoryFiles getAgentMemoryFile putAgentMemoryFile
  listQueues listCases createCases getCase updateCase`
  .trim()
  .split(/\s+/)

export interface CatalogTool {
  listed: ListedTool
  /** Absent: waitForRun, which is not an operation. */
  operation?: Operation
  scope: Scope
  isReading: boolean
  sets: Set<string>
}

interface ToolCatalog {
  tools: Map<string, CatalogTool>
  /** Every operation by its id: resources read through some that are not tools of an endpoint. */
  operations: Map<string, Operation>
  /** The names that `toolsets` takes. */
  setNames: string[]
}

/** Made once, when the service starts: an operation that cannot be a tool is found then. */
export const toolCatalogOf = runningPart('tool catalog', (context) => makeCatalog(registryOf(context)))

function makeCatalog({ groups, operations: all }: Registry): ToolCatalog {
  const tools = new Map<string, CatalogTool>()
  for (const { name, operations } of groups) {
    for (const operation of operations.filter(({ tool }) => tool)) {
      const sets = new Set([name, 'all', ...(core.includes(operation.id) ? ['core'] : [])])
      const { scope } = operation
      tools.set(operation.id, { listed: toolOf(operation), operation, scope, isReading: operation.onlyReads, sets })
    }
  }
  const missing = core.find((id) => !tools.has(id))
  if (missing !== undefined) throw new Error(`${missing} is listed as a core tool and is not an operation`)
  const waiting = { scope: 'runs:read', isReading: true, sets: new Set(['runs', 'core', 'all']) } as const
  tools.set(waitForRunTool.name, { listed: waitForRunTool, ...waiting })
  const operations = new Map(all.map((operation): [string, Operation] => [operation.id, operation]))
  return {
    tools,
    operations,
    setNames: ['core', 'all', ...new Set([...tools.values()].flatMap(({ sets }) => [...sets]))],
  }
}

export interface WantedTools {
  toolsets: string
  isReadOnly: boolean
  hasSchemas: boolean
}

/** The tools of this URL; `mayUse` checks what a credential may do. */
export function offered(
  { tools, setNames }: ToolCatalog,
  { toolsets, isReadOnly }: WantedTools,
): Map<string, CatalogTool> {
  const wanted = toolsets.split(',')
  const unknown = wanted.find((name) => !setNames.includes(name))
  if (unknown !== undefined) {
    const known = [...new Set(setNames)].join(', ')
    throw new Fault('invalid_request', `toolsets has no set named "${unknown.slice(0, 50)}". There are: ${known}.`)
  }
  const chosen = [...tools].filter(([, tool]) => wanted.some((name) => tool.sets.has(name)))
  return new Map(chosen.filter(([, tool]) => tool.isReading || !isReadOnly))
}

/** The tools as `tools/list` shows them. */
export function listed(
  tools: Iterable<CatalogTool>,
  scopes: ReadonlySet<Scope>,
  { hasSchemas }: WantedTools,
): ListedTool[] {
  return [...tools]
    .filter(({ scope }) => scopes.has(scope))
    .map(({ listed: { outputSchema, ...tool } }) => (hasSchemas && outputSchema ? { ...tool, outputSchema } : tool))
}
