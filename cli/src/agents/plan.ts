// What a push would do: the steps from the agents of a team to those in folders.
import type { BuildConfig, ListedAgent, ReplaceEvalRubricsInput } from '../../../sdk/src/index.ts'
import { CommandFailed } from '../command.ts'
import { sorted, type AgentFiles } from './agentFile.ts'
import { idFor, remoteAgent, scheduleFields, withIds, withNames, type Team } from './team.ts'

export interface Step {
  /** `+` is made, `~` is changed, `-` is deleted. */
  sign: '+' | '~' | '-'
  says: string
  carryOut: () => Promise<void>
}

export interface PushOptions {
  promote: boolean
  message?: string
}

const text = (value: unknown): string => JSON.stringify(sorted(value))
const isSame = (a: unknown, b: unknown): boolean => text(a) === text(b)

export async function planFor(team: Team, local: AgentFiles, options: PushOptions): Promise<Step[]> {
  const found = team.agents.filter(({ name }) => name === local.name)
  const [agent] = found
  if (found.length > 1)
    throw new CommandFailed(`${found.length} agents of the team have the name "${local.name}". Rename one.`)
  const held: { id: string } = { id: agent?.id ?? '' }
  const remote = agent ? await remoteAgent(team, agent, local.memory !== undefined) : undefined
  return [
    ...(agent && remote
      ? [...profileSteps(team, agent, local), ...(await buildSteps(team, agent, remote, local, options))]
      : [creation(team, held, local)]),
    ...scheduleSteps(team, held, agent ? (await team.runyard.schedules.list(agent.id)).schedules : [], local),
    ...triggerSteps(team, held, agent ? (await team.runyard.caseTriggers.list(agent.id)).case_triggers : [], local),
    ...rubricSteps(team, held, remote, local),
    ...memorySteps(team, held, remote?.memory ?? {}, local),
  ]
}

function creation(team: Team, held: { id: string }, { name, description, memory_enabled, config }: AgentFiles): Step {
  return {
    sign: '+',
    says: 'agent, live at once',
    async carryOut() {
      const build = { config: withIds(team, config) as BuildConfig }
      const { agent, build: latest_build } = await team.runyard.agents.create({
        name,
        description,
        memory_enabled,
        build,
      })
      held.id = agent.id
      team.agents.push({ ...agent, last_run_at: null, runs_count: 0, latest_build })
    },
  }
}

function profileSteps({ runyard }: Team, agent: ListedAgent, { description, memory_enabled }: AgentFiles): Step[] {
  const wanted = { description, memory_enabled }
  if (isSame(wanted, { description: agent.description, memory_enabled: agent.memory_enabled })) return []
  return [
    {
      sign: '~',
      says: 'description or memory setting',
      carryOut: async () => void (await runyard.agents.update(agent.id, wanted)),
    },
  ]
}

async function buildSteps(
  team: Team,
  agent: ListedAgent,
  remote: AgentFiles,
  local: AgentFiles,
  options: PushOptions,
): Promise<Step[]> {
  if (isSame(remote.config, local.config)) return []
  const { agents } = team.runyard
  const { build: newest } = await agents.getRevision(agent.id, agent.latest_build.id)
  const isDraft = newest.status === 'draft' && isSame(withNames(team, newest.config), local.config)
  if (isDraft && !options.promote) return []
  const promote = async (buildId: string) => {
    const { message } = options
    await agents.promoteRevision(buildId, message === undefined ? {} : { revision_description: message })
  }
  if (isDraft)
    return [{ sign: '~', says: `revision ${newest.revision_number} becomes live`, carryOut: () => promote(newest.id) }]
  return [
    {
      sign: '~',
      says: options.promote ? 'new revision, live at once' : 'new revision, as a draft',
      async carryOut() {
        const { build_id } = await agents.createRevision(agent.id, {
          config: withIds(team, local.config) as BuildConfig,
        })
        if (options.promote) await promote(build_id)
      },
    },
  ]
}

function scheduleSteps(
  { runyard }: Team,
  held: { id: string },
  there: { id: string; frequency: string }[],
  local: AgentFiles,
): Step[] {
  const left = [...there]
  const made = local.schedules.filter((one) => {
    const index = left.findIndex((other) => isSame(scheduleFields(other), one))
    if (index >= 0) left.splice(index, 1)
    return index < 0
  })
  return [
    ...made.map((one): Step => ({
      sign: '+',
      says: `schedule ${String(one['frequency'])}`,
      carryOut: async () => void (await runyard.schedules.create(held.id, scheduleFields(one))),
    })),
    ...left.map(({ id, frequency }): Step => ({
      sign: '-',
      says: `schedule ${frequency}`,
      carryOut: async () => void (await runyard.schedules.delete(held.id, id)),
    })),
  ]
}

interface Trigger {
  id: string
  case_queue_id: string
  case_queue_name: string
  enabled: boolean
  concurrency: number | null
}

function triggerSteps(team: Team, held: { id: string }, there: Trigger[], local: AgentFiles): Step[] {
  const { caseTriggers } = team.runyard
  const isOf = (trigger: Trigger, queue: string) => trigger.case_queue_id === queue || trigger.case_queue_name === queue
  const steps = local.triggers.flatMap(({ queue, enabled, concurrency }): Step[] => {
    const found = there.find((one) => isOf(one, queue))
    const wanted = { enabled, concurrency }
    if (!found) {
      const carryOut = async () =>
        void (await caseTriggers.create(held.id, { case_queue_id: await queueId(team, queue), ...wanted }))
      return [{ sign: '+', says: `trigger on the queue ${queue}`, carryOut }]
    }
    if (isSame(wanted, { enabled: found.enabled, concurrency: found.concurrency })) return []
    return [
      {
        sign: '~',
        says: `trigger on the queue ${queue}`,
        carryOut: async () => void (await caseTriggers.update(held.id, found.id, wanted)),
      },
    ]
  })
  const gone = there.filter((one) => !local.triggers.some(({ queue }) => isOf(one, queue)))
  return [
    ...steps,
    ...gone.map((one): Step => ({
      sign: '-',
      says: `trigger on the queue ${one.case_queue_name}`,
      carryOut: async () => void (await caseTriggers.delete(held.id, one.id)),
    })),
  ]
}

/** A queue that is missing is made: its name is all that a trigger says of it. */
async function queueId(team: Team, name: string): Promise<string> {
  if (!team.queues.some((one) => one.id === name || one.name === name)) {
    team.queues.push((await team.runyard.queues.create({ name })).queue)
  }
  return idFor(team.queues, name, 'queue')
}

function rubricSteps(
  { runyard }: Team,
  held: { id: string },
  remote: AgentFiles | undefined,
  local: AgentFiles,
): Step[] {
  if (isSame(remote?.rubrics ?? [], local.rubrics)) return []
  // the service names what is wrong with one
  const rubrics = local.rubrics as ReplaceEvalRubricsInput['rubrics']
  return [
    {
      sign: '~',
      says: 'rubrics',
      carryOut: async () => void (await runyard.evaluations.replaceRubrics(held.id, { rubrics })),
    },
  ]
}

function memorySteps(
  { runyard }: Team,
  held: { id: string },
  there: Record<string, string>,
  { memory }: AgentFiles,
): Step[] {
  if (!memory) return []
  const written = Object.entries(memory).filter(([path, content]) => there[path] !== content)
  const gone = Object.keys(there).filter((path) => memory[path] === undefined)
  return [
    ...written.map(([path, content]): Step => ({
      sign: path in there ? '~' : '+',
      says: `memory ${path}`,
      carryOut: async () => void (await runyard.memory.put(held.id, path, { content })),
    })),
    ...gone.map((path): Step => ({
      sign: '-',
      says: `memory ${path}`,
      carryOut: async () => void (await runyard.memory.delete(held.id, path)),
    })),
  ]
}
