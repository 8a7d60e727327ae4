// What a model that writes a draft is told of the team: names and what they are for. Values of secrets are not even read.
import type { Sql } from '../../../base/db.ts'
import { oneLine } from '../../../base/oneLine.ts'
import { withoutSecretLike } from '../../../base/secretLike.ts'
import { providerNames } from '../../../drivers/model/models.ts'
import { defaultPlugins, parseBuildConfig } from '../../../engine/builds/buildConfig.ts'
import { engineOf } from '../../../engine/engine.ts'
import type { Context } from '../../../kit/context.ts'
import { offeredKinds } from '../../../kit/offers.ts'
import { registryOf, runStartsOf } from '../../../kit/registry.ts'
import { teamTimeOf } from '../../../kit/teamTime.ts'
import { setupNow } from './draftSetup.ts'
import type { HeldBuilderRun } from './heldBuilderRun.ts'
import { procedureOf } from './proposal.ts'
import { listOffered } from './teamOffers.ts'

interface Asked {
  context: Context
  sql: Sql
}

/** How much a model is told of what starts runs already. */
const startsMax = 50
const titleMax = 200

export async function builderFacts(held: HeldBuilderRun, asked: Asked) {
  const { context, sql } = asked
  const { plugins, subAgents } = parseBuildConfig(held.checkpoint_config)
  const tools = engineOf(context).toolRegistry.describe(plugins ?? defaultPlugins)
  const team: Record<string, unknown> = {}
  for (const kind of offeredKinds) team[kind] = await listOffered(held, kind, asked)
  const ofAgent = { sql, context, teamId: held.team_id, agentId: held.agent_id }
  const starts = runStartsOf(context)
  const startsNow: string[] = []
  for (const { list } of starts) startsNow.push(...(await list(ofAgent)))
  return {
    agent_name: held.agent_name,
    current_procedure: teamTimeOf(context).piece(held.team_id, () => withoutSecretLike(procedureOf(held))),
    tools: tools.map(({ name, description }) => ({ name, description })),
    may_start_agents: subAgents.length > 0,
    past_run: withoutSecretLike(held.lesson),
    setup_now: await setupNow(held, asked),
    starts_now: startsNow.slice(0, startsMax).map((title) => withoutSecretLike(oneLine(title, titleMax))),
    start_kinds: starts.flatMap(({ kinds }) => kinds(context)),
    team,
    plugins: registryOf(context).toolSets.map(({ name, description }) => ({ name, says: description })),
    models: await modelsOf(held, context),
  }
}

/** Which models the team's agents may use: by its rules, and of providers for which there is a key. */
async function modelsOf({ team_id }: HeldBuilderRun, context: Context) {
  const models = await engineOf(context).models.of(team_id)
  return {
    default: models.defaultModel,
    allowed: models.allowed ?? 'every model of these providers',
    providers: providerNames.filter((name) => models.problemOf(`${name}:any`)?.code !== 'model_not_configured'),
  }
}
