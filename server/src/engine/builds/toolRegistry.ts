// The tools of this server by name, and which of them a build may use.
import type { ModelTool } from '../../drivers/model/model.ts'
import type { ToolSet } from '../../kit/feature.ts'
import type { Tool } from '../../kit/tool.ts'

export interface ToolRegistry {
  find(name: string): Tool | undefined
  /** The set that a tool belongs to. */
  setOf(name: string): string | undefined
  /** The tools of these sets, as a model sees them. */
  describe(sets: readonly string[]): ModelTool[]
  /** A registry with these sets too, for one run. A tool that is there already stays what it is. */
  with(sets: ToolSet[]): ToolRegistry
}

export function createToolRegistry(toolSets: ToolSet[]): ToolRegistry {
  // the first of a name counts: what an outside server lists must not replace a tool of ours
  const listed = toolSets.flatMap((set) => set.tools.map((tool) => [tool.name, { tool, set: set.name }] as const))
  const tools = new Map(listed.toReversed())
  const standIns = toolSets.flatMap(({ name: set, standIn }) => (standIn ? [{ set, ...standIn }] : []))
  const find = (name: string) => tools.get(name) ?? standIns.find(({ prefix }) => name.startsWith(prefix))
  const registry: ToolRegistry = {
    find: (name) => find(name)?.tool,
    setOf: (name) => find(name)?.set,
    describe: (sets) =>
      [...tools.values()]
        .toReversed()
        .filter(({ set }) => sets.includes(set))
        .map(({ tool: { name, description, input } }) => ({
          name,
          description,
          input_schema: input as Record<string, unknown>,
        })),
    with: (sets) => (sets.length === 0 ? registry : createToolRegistry([...toolSets, ...sets])),
  }
  return registry
}
