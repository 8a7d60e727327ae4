// What a push would do to the builds of an agent: a new one as a draft, its rubrics, and its promotion.
import type { BuildConfig, ListedAgent, ReplaceEvalRubricsInput } from '../../../sdk/src/index.ts'
import { isSame, type AgentFiles, type Fields } from './agentFile.ts'
import type { Held, PushOptions, Step } from './plan.ts'
import { rubricFields, withIds, withNames, type Team } from './team.ts'

/** The first build of an agent, live at once. */
export function creationSteps(team: Team, held: Held, local: AgentFiles): Step[] {
  const { name, description, memory_enabled, config } = local
  const carryOut = async (): Promise<void> => {
    const build = { config: withIds(team, config) as BuildConfig }
    const made = await team.runyard.agents.create({ name, description, memory_enabled, build })
    held.id = made.agent.id
    team.agents.push({ ...made.agent, last_run_at: null, runs_count: 0, latest_build: made.build })
  }
  return [{ sign: '+', says: 'agent, live at once', carryOut }, ...rubricSteps(team, held, [], local, 'rubrics')]
}

/** `remote` is the live build. Rubrics belong to a build, so those of a draft leave the live one alone. */
export async function buildSteps(
  team: Team,
  { agent, held, remote, local }: { agent: ListedAgent; held: Held; remote: AgentFiles; local: AgentFiles },
  options: PushOptions,
): Promise<Step[]> {
  if (isSame(remote.config, local.config)) return rubricSteps(team, held, remote.rubrics, local, 'rubrics')
  const { agents, evaluations } = team.runyard
  const { build: newest } = await agents.getRevision(agent.id, agent.latest_build.id)
  const { message } = options
  const promotion = (says: string): Step[] => {
    if (!options.promote) return []
    const description = message === undefined ? {} : { revision_description: message }
    const carryOut = async () => void (await agents.promoteRevision(held.buildId ?? '', description))
    return [{ sign: '~', says, carryOut }]
  }
  if (newest.status === 'draft' && isSame(withNames(team, newest.config), local.config)) {
    held.buildId = newest.id
    const { rubrics } = await evaluations.listRubrics(agent.id, { build_id: newest.id })
    const named = `build ${newest.revision_number}`
    return [
      ...rubricSteps(team, held, rubrics.map(rubricFields), local, `rubrics of ${named}, a draft`),
      ...promotion(`${named} becomes live`),
    ]
  }
  const carryOut = async (): Promise<void> => {
    const config = withIds(team, local.config) as BuildConfig
    held.buildId = (await agents.createRevision(agent.id, { config })).build_id
  }
  return [
    { sign: '~', says: 'new build, as a draft', carryOut },
    // a draft begins with the rubrics of the live build
    ...rubricSteps(team, held, remote.rubrics, local, 'rubrics of the new build'),
    ...promotion('new build becomes live'),
  ]
}

function rubricSteps({ runyard }: Team, held: Held, there: Fields[], local: AgentFiles, says: string): Step[] {
  // what a file may leave out, as the service fills it in; it also says what is wrong with one
  const wanted = local.rubrics.map((one, index) => ({ severity: 'medium', sort_order: index, ...one }))
  if (isSame(there, wanted)) return []
  const rubrics = wanted as unknown as ReplaceEvalRubricsInput['rubrics']
  const carryOut = async (): Promise<void> => {
    const build = held.buildId === undefined ? {} : { build_id: held.buildId }
    await runyard.evaluations.replaceRubrics(held.id, { rubrics, ...build })
  }
  return [{ sign: '~', says, carryOut }]
}
