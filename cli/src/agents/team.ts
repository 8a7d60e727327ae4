// The agents of a team in the form of files: ids of other records become names and back.
import type { CreateScheduleInput, EvalRubric, ListedAgent, Runyard, Trigger } from '../../../sdk/src/index.ts'
import type { AgentFiles, Fields } from './agentFile.ts'
import { incomingFields } from './incoming.ts'
import { idFor, nameFor, type NamedRecord } from './records.ts'

export interface Team {
  runyard: Runyard
  agents: ListedAgent[]
  connections: NamedRecord[]
  queues: NamedRecord[]
}

export async function readTeam(runyard: Runyard): Promise<Team> {
  const [agents, connections, queues] = await Promise.all([
    allOf(runyard.agents.list({ limit: 100 })),
    allOf(runyard.connections.list({ limit: 100 })),
    allOf(runyard.queues.list({ limit: 100 })),
  ])
  return { runyard, agents, connections, queues }
}

export async function triggersOf({ runyard }: Team, agentId: string): Promise<Trigger[]> {
  const { triggers } = await runyard.triggers.list(agentId)
  // a list has only the beginning of a long message
  return Promise.all(triggers.map(async (one) => (one.truncated ? (await runyard.triggers.get(one.id)).trigger : one)))
}

async function allOf<Row>(rows: AsyncIterable<Row>): Promise<Row[]> {
  const all: Row[] = []
  for await (const row of rows) all.push(row)
  return all
}

/** A file may leave out these: each has a usual value. */
const usualKeys = ['timezone', 'enabled', 'recurring', 'overlap', 'catch_up']
const scheduleKeys = ['frequency', 'time', 'day', 'day_of_month', 'cron', 'message', ...usualKeys]

const fieldsOf = (schedule: object, keys: string[]): Fields =>
  Object.fromEntries(
    keys.flatMap((key) => {
      const value = (schedule as Fields)[key]
      return value === null || value === undefined ? [] : [[key, value]]
    }),
  )

export const usualFields = (schedule: object): Fields => fieldsOf(schedule, usualKeys)

export const scheduleFields = (schedule: object): CreateScheduleInput =>
  fieldsOf(schedule, scheduleKeys) as unknown as CreateScheduleInput

export const rubricFields = ({ title, description, severity, sort_order }: EvalRubric): Fields => ({
  title,
  description,
  severity,
  sort_order,
})

export async function remoteAgent(team: Team, agent: ListedAgent, withMemory: boolean): Promise<AgentFiles> {
  const { runyard } = team
  const buildId = agent.live_build_id ?? agent.latest_build.id
  const [{ build }, { schedules }, { case_triggers }, triggers, { rubrics }] = await Promise.all([
    runyard.agents.getRevision(agent.id, buildId),
    runyard.schedules.list(agent.id),
    runyard.caseTriggers.list(agent.id),
    triggersOf(team, agent.id),
    runyard.evaluations.listRubrics(agent.id),
  ])
  return {
    name: agent.name,
    description: agent.description,
    memory_enabled: agent.memory_enabled,
    config: withNames(team, build.config),
    schedules: schedules.map((one) => ({ ...scheduleFields(one) })).toSorted(byText),
    triggers: case_triggers
      .map(({ case_queue_id, enabled, concurrency }) => ({
        queue: nameFor(team.queues, case_queue_id),
        enabled,
        concurrency,
      }))
      .toSorted(byText),
    incoming: incomingFields(team, triggers),
    rubrics: rubrics.map(rubricFields),
    ...(withMemory && { memory: await memoryOf(runyard, agent.id) }),
  }
}

const byText = (a: object, b: object): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)

async function memoryOf(runyard: Runyard, agentId: string): Promise<Record<string, string>> {
  const { files } = await runyard.memory.list(agentId)
  const memory: Record<string, string> = {}
  for (const { path } of files) memory[path] = (await runyard.memory.get(agentId, path)).content
  return memory
}

type Config = AgentFiles['config']

const each = (list: unknown, change: (one: string) => string) =>
  Array.isArray(list) ? list.map((one: unknown) => (typeof one === 'string' ? change(one) : one)) : list

const mapped = (config: Config, connection: (one: string) => string, agent: (one: string) => string): Config => {
  const { connections, subAgents } = config.data
  return {
    ...config,
    data: {
      ...config.data,
      ...(connections !== undefined && { connections: each(connections, connection) }),
      ...(subAgents !== undefined && { subAgents: each(subAgents, agent) }),
    },
  }
}

export const withNames = ({ connections, agents }: Team, config: Config): Config =>
  mapped(
    config,
    (id) => nameFor(connections, id),
    (id) => nameFor(agents, id),
  )

export const withIds = ({ connections, agents }: Team, config: Config): Config =>
  mapped(
    config,
    (one) => idFor(connections, one, 'connection'),
    (one) => idFor(agents, one, 'agent'),
  )
