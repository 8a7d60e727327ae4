// What a push would do: the steps from the agents of a team to those in folders.
import type { ListedAgent } from '../../../sdk/src/index.ts'
import { CommandFailed } from '../command.ts'
import { isSame, type AgentFiles } from './agentFile.ts'
import { buildSteps, creationSteps } from './buildPlan.ts'
import { incomingSteps, requireKnownIncoming } from './incomingPlan.ts'
import { idFor } from './records.ts'
import { remoteAgent, scheduleFields, triggersOf, usualFields, type Team } from './team.ts'

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

/** The agent that the steps are about, and its build if that is not the live one: earlier steps fill in what they make. */
export interface Held {
  id: string
  buildId?: string
}

/** What earlier plans of the same push will have made. */
export interface Promised {
  agents: Set<string>
  queues: Set<string>
}

export async function planFor(
  team: Team,
  local: AgentFiles,
  options: PushOptions,
  promised: Promised,
): Promise<Step[]> {
  const found = team.agents.filter(({ name }) => name === local.name)
  const [agent] = found
  if (found.length > 1)
    throw new CommandFailed(`${found.length} agents of the team have the name "${local.name}". Rename one.`)
  requireKnown(team, local, promised)
  promised.agents.add(local.name)
  requireKnownIncoming(team, local.incoming ?? [], promised)
  const held: Held = { id: agent?.id ?? '' }
  const remote = agent ? await remoteAgent(team, agent, local.memory !== undefined) : undefined
  return [
    ...(agent && remote
      ? [...profileSteps(team, agent, local), ...(await buildSteps(team, { agent, held, remote, local }, options))]
      : creationSteps(team, held, local)),
    ...scheduleSteps(team, held, agent ? (await team.runyard.schedules.list(agent.id)).schedules : [], local),
    ...triggerSteps(
      team,
      held,
      agent ? (await team.runyard.caseTriggers.list(agent.id)).case_triggers : [],
      local,
      promised,
    ),
    ...incomingSteps(team, held, agent ? await triggersOf(team, agent.id) : [], local.incoming),
    ...memorySteps(team, held, remote?.memory ?? {}, local),
  ]
}

/** A name that leads nowhere is refused before anything is changed. */
function requireKnown(team: Team, { config }: AgentFiles, promised: Promised): void {
  const { connections, subAgents } = config.data
  for (const name of textsIn(connections)) idFor(team.connections, name, 'connection')
  for (const name of textsIn(subAgents)) if (!promised.agents.has(name)) idFor(team.agents, name, 'agent')
}

const textsIn = (list: unknown): string[] => (Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [])

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

function scheduleSteps(
  { runyard }: Team,
  held: Held,
  there: { id: string; frequency: string }[],
  local: AgentFiles,
): Step[] {
  const left = [...there]
  // the one that says the most chooses first
  const made = local.schedules.toSorted(bySize).filter((one) => {
    const index = left.findIndex((other) => isSame({ ...usualFields(other), ...one }, scheduleFields(other)))
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

const bySize = (a: object, b: object): number => Object.keys(b).length - Object.keys(a).length

interface Trigger {
  id: string
  case_queue_id: string
  case_queue_name: string
  enabled: boolean
  concurrency: number | null
}

function triggerSteps(team: Team, held: Held, there: Trigger[], local: AgentFiles, promised: Promised): Step[] {
  const { caseTriggers } = team.runyard
  const isOf = (trigger: Trigger, queue: string) => trigger.case_queue_id === queue || trigger.case_queue_name === queue
  const steps = local.triggers.flatMap(({ queue, enabled, concurrency }): Step[] => {
    const found = there.find((one) => isOf(one, queue))
    const wanted = { enabled, concurrency }
    if (!found) {
      const carryOut = async () =>
        void (await caseTriggers.create(held.id, { case_queue_id: idFor(team.queues, queue, 'queue'), ...wanted }))
      return [...queueSteps(team, queue, promised), { sign: '+', says: `trigger on the queue ${queue}`, carryOut }]
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

/** A queue that is missing is made: its name is all that a trigger says of it. An id of another team is not a name. */
function queueSteps(team: Team, name: string, { queues }: Promised): Step[] {
  if (queues.has(name)) return []
  const isThere = team.queues.some((one) => one.id === name || one.name === name)
  if (isThere || /^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(name)) {
    idFor(team.queues, name, 'queue')
    return []
  }
  queues.add(name)
  const carryOut = async () => void team.queues.push((await team.runyard.queues.create({ name })).queue)
  return [{ sign: '+', says: `queue ${name}`, carryOut }]
}

function memorySteps({ runyard }: Team, held: Held, there: Record<string, string>, { memory }: AgentFiles): Step[] {
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
