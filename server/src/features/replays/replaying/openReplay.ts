// Puts together what replaying a run needs: the build as it was at the start of the replay, the facts of the recorded run, and tools that do nothing.
import { scrubbed, type Scrub } from '../../../base/knownSecrets.ts'
import type { RunFacts, Setup } from '../../../drivers/model/model.ts'
import { needsApproval } from '../../../engine/builds/approvalPolicy.ts'
import { parseBuildConfig } from '../../../engine/builds/buildConfig.ts'
import type { LoadedBuild } from '../../../engine/builds/loadBuild.ts'
import type { TeamModels } from '../../../engine/builds/models.ts'
import type { StepResolver } from '../../../engine/builds/runStepTool.ts'
import type { ToolRegistry } from '../../../engine/builds/toolRegistry.ts'
import { readScrubber } from '../../../engine/driving/hiddenValues.ts'
import { usableModels } from '../../../engine/driving/routeState.ts'
import { factsOf, setsOf, setupOf } from '../../../engine/driving/setup.ts'
import { engineOf } from '../../../engine/engine.ts'
import type { Context } from '../../../kit/context.ts'
import type { ToolSet } from '../../../kit/feature.ts'
import { connectionUseOf, givenToolsOf } from '../../../kit/registry.ts'
import type { CallingRun } from '../../../kit/tool.ts'
import type { RecordingContent } from '../recording.ts'
import { bareSet, bareToolsOf } from './bareTools.ts'

/** What is replayed: a build, as it was when the replay began. */
export interface ReplayedBuild {
  team_id: string
  agent_id: string
  build_id: string
  config: unknown
  config_hash: string
  is_cost_limited: boolean
}

export interface OpenReplay {
  context: Context
  teamId: string
  content: RecordingContent
  build: LoadedBuild
  facts: RunFacts
  team: TeamModels
  /** The models that may be asked, in their order. */
  names: string[]
  model: { isPure: boolean }
  toolRegistry: ToolRegistry
  resolver: StepResolver
  sets: string[]
  scrub: Scrub | undefined
  /** What a model of this name is told before the first turn. */
  setupFor: (name: string) => Setup
}

export async function openReplay(
  context: Context,
  replayed: ReplayedBuild,
  content: RecordingContent,
): Promise<OpenReplay> {
  const { team_id: teamId, agent_id, build_id } = replayed
  const build = loaded(replayed, content)
  const { id, user_id, case_id, depth } = content.run
  const run: CallingRun = { id, team_id: teamId, agent_id, build_id, config_hash: null, user_id, case_id, depth }
  const team = await engineOf(context).models.of(teamId)
  const names = usableModels(build, team)
  const { isPure } = team.find(names[0]!)
  const bare = bareToolsOf(context)
  const ofBuild = (await toolsOfBuild(context, run, build)).map(bareSet)
  const scrub = await readScrubber(context, run, build)
  const toolRegistry = bare.toolRegistry.with(ofBuild)
  // the facts of the recorded run: whatever the procedure makes of its own id and times is the same again
  const facts = factsOf({ ...content.run, created_at: new Date(content.run.created_at) }, build)
  const resolver = bare.resolverFor(build.procedure, facts, isPure)
  const sets = setsOf({ build, resolver, ofBuild, isPure })
  const isCostLimited = replayed.is_cost_limited || build.limits.max_cost_usd !== null
  const setupFor = (modelName: string): Setup => {
    const plain = setupOf({ build, resolver, toolRegistry, sets, facts, modelName, isCostLimited })
    return scrub && !isPure ? scrubbed(plain, scrub) : plain
  }
  return {
    context,
    teamId,
    content,
    build,
    facts,
    team,
    names,
    model: { isPure },
    toolRegistry,
    resolver,
    sets,
    scrub,
    setupFor,
  }
}

function loaded({ build_id: id, config, config_hash }: ReplayedBuild, { run }: RecordingContent): LoadedBuild {
  const parsed = parseBuildConfig(config)
  return {
    ...parsed,
    id,
    agentName: run.agent_name,
    contentHash: config_hash,
    needsApproval: (tool, args) => needsApproval(parsed.approvals.get(tool), args),
  }
}

/** What the database lists of connections is enough: no server is asked for its tools. */
async function toolsOfBuild(
  context: Context,
  run: CallingRun,
  { connections, given }: LoadedBuild,
): Promise<ToolSet[]> {
  const use = connections.length > 0 ? connectionUseOf(context) : undefined
  const own = await givenToolsOf({ context, run, given })
  const { sql } = context.db
  const foreign = await use?.tools({ sql, context, run, connectionIds: connections })
  return [...own, ...(foreign ?? [])]
}
