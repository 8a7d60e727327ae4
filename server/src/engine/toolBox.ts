// Every tool there is, found by name, and the ones that a build may use.
import type { ModelTool } from '../drivers/model/model.ts'
import type { Registry } from '../kit/feature.ts'
import type { Tool } from '../kit/tool.ts'

export interface ToolBox {
  find(name: string): Tool | undefined
  /** The set that brings a tool. */
  setOf(name: string): string | undefined
  /** Of these sets, the tools as a model sees them. */
  describe(sets: readonly string[]): ModelTool[]
}

export function createToolBox({ toolSets }: Registry): ToolBox {
  const tools = new Map(toolSets.flatMap((set) => set.tools.map((tool) => [tool.name, { tool, set: set.name }])))
  return {
    find: (name) => tools.get(name)?.tool,
    setOf: (name) => tools.get(name)?.set,
    describe: (sets) =>
      [...tools.values()]
        .filter(({ set }) => sets.includes(set))
        .map(({ tool: { name, description, input } }) => ({
          name,
          description,
          input_schema: input as Record<string, unknown>,
        })),
  }
}
