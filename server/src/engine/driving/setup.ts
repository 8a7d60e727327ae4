// What a model is told before the first turn of a run: the procedure, the facts, and the tools of its build.
import { parseBounded } from '../../base/boundedJson.ts'
import type { RunFacts, Setup } from '../../drivers/model/model.ts'
import type { ToolSet } from '../../kit/feature.ts'
import type { ClaimedRun } from '../admission/claim.ts'
import { defaultPlugins } from '../builds/buildConfig.ts'
import type { LoadedBuild } from '../builds/loadBuild.ts'
import { outputTokensMax } from '../builds/models.ts'
import type { StepResolver } from '../builds/runStepTool.ts'
import type { ToolRegistry } from '../builds/toolRegistry.ts'
import { recallSet } from './recallTool.ts'

interface SetsOf {
  build: Pick<LoadedBuild, 'plugins'>
  resolver: StepResolver
  /** The sets that come with what the build names. */
  ofBuild: readonly ToolSet[]
  isPure: boolean
}

/** The sets of tools that a run may use. */
export const setsOf = ({ build, resolver, ofBuild, isPure }: SetsOf): string[] => [
  ...(build.plugins ?? defaultPlugins),
  ...resolver.sets,
  ...ofBuild.map(({ name }) => name),
  // from the first turn on: a tool that came later would change the beginning of every request
  ...(isPure ? [] : [recallSet.name]),
]

interface SetupOf {
  build: Pick<LoadedBuild, 'procedure' | 'output_schema'>
  resolver: StepResolver
  toolRegistry: ToolRegistry
  sets: readonly string[]
  facts: RunFacts
  modelName: string
  /** Whether what a turn may cost is reserved before it. */
  isCostLimited: boolean
}

export const setupOf = ({ build, resolver, toolRegistry, sets, facts, modelName, isCostLimited }: SetupOf): Setup => ({
  model: modelName,
  procedure: build.procedure,
  tools: [...toolRegistry.describe(sets), ...resolver.tools],
  facts,
  output_schema: build.output_schema,
  output_tokens_max: isCostLimited ? outputTokensMax : null,
})

type FactsRun = Pick<ClaimedRun, 'id' | 'run_number' | 'title' | 'agent_id' | 'source' | 'message' | 'created_at'>

export const factsOf = (run: FactsRun, build: Pick<LoadedBuild, 'agentName'>): RunFacts => ({
  message: run.message,
  case: caseOf(run),
  run: {
    id: run.id,
    number: run.run_number,
    title: run.title,
    agent_id: run.agent_id,
    agent_name: build.agentName,
    source: run.source,
    created_at: run.created_at.toISOString(),
  },
})

/** The case as it was when the run got it; its data is parsed where it is JSON. */
function caseOf({ source, message }: FactsRun): unknown {
  if (source !== 'case_trigger' && source !== 'retry') return null
  const given = (message as { case?: { data: string } } | null)?.case
  return given ? { ...given, data: parsed(given.data) } : null
}

function parsed(text: string): unknown {
  try {
    return parseBounded(text)
  } catch (error) {
    if (error instanceof SyntaxError) return text
    throw error
  }
}
