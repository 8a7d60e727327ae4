// The tools of a build without what they do: their names, schemas and rules. A replay holds no others, so it cannot make a call.
import { recallSet } from '../../../engine/driving/recallTool.ts'
import { createResolvers } from '../../../engine/builds/runStepTool.ts'
import { createToolRegistry } from '../../../engine/builds/toolRegistry.ts'
import type { ToolSet } from '../../../kit/feature.ts'
import { registryOf } from '../../../kit/registry.ts'
import { runningPart } from '../../../kit/runningPart.ts'
import type { Tool } from '../../../kit/tool.ts'

const never = (): never => {
  throw new Error('a replay makes no call')
}

/** Says everything about the tool that planning a call needs; whatever it would do throws. */
function bareTool(tool: Tool): Tool {
  const { name, description, input } = tool
  if (tool.kind === 'inside') return { kind: 'inside', name, description, input, apply: never }
  if (tool.kind === 'waiting') {
    return { kind: 'waiting', name, description, input, waitsFor: tool.waitsFor, begin: never, resolve: never }
  }
  const { timeoutMs, isForeign, takesSecrets, needsApproval } = tool
  return {
    kind: 'outside',
    name,
    description,
    input,
    onDoubt: 'ask',
    timeoutMs,
    leaves: 'never',
    execute: never,
    ...(isForeign && { isForeign }),
    ...(takesSecrets !== undefined && { takesSecrets }),
    ...(needsApproval !== undefined && { needsApproval }),
  }
}

export const bareSet = ({ name, title, description, provider, tools, standIn }: ToolSet): ToolSet => ({
  name,
  title,
  description,
  provider,
  tools: tools.map(bareTool),
  ...(standIn && { standIn: { prefix: standIn.prefix, tool: bareTool(standIn.tool) } }),
})

/** The tools of this server, and how calls of blocks are resolved. */
export const bareToolsOf = runningPart('bare tools', (context) => {
  const toolRegistry = createToolRegistry([...registryOf(context).toolSets, recallSet].map(bareSet))
  return { toolRegistry, resolverFor: createResolvers(toolRegistry) }
})
