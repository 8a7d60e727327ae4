// Tools that start runs of other agents: the caller waits as rows only, and gets their results.
import type { Sql } from '../../base/db.ts'
import { isId } from '../../base/ids.ts'
import type { ToolSet } from '../../kit/feature.ts'
import { Type } from '../../kit/schema.ts'
import { insideTool, waitingTool, type CallingRun, type Outcome } from '../../kit/tool.ts'
import { readActsFor } from '../ledger/actsFor.ts'
import { addPrice, parseBuildConfig, withoutPrice, type Limits } from '../builds/buildConfig.ts'
import { engineOf } from '../engine.ts'
import { tightened, unpricedOf } from '../driving/limits.ts'
import { readRunConfig } from '../builds/loadBuild.ts'
import { fromUnits, toUnits } from '../ledger/money.ts'
import { hasEnded, type RunError, type Status } from '../ledger/lifecycle.ts'
import { pausedSentence } from '../starting/pauses.ts'
import { titleOf } from '../starting/title.ts'

/** How deep runs may start runs: without a limit, a mistake in two procedures could continue for ever. */
const depthMax = 5

interface SubAgent {
  id: string
  name: string
  description: string | null
  build_id: string | null
  config: unknown
  is_paused: boolean
  paused_reason: string | null
}

/** The agents that the calling run's build names, as they are now. */
async function subAgentsOf(sql: Sql, run: CallingRun): Promise<SubAgent[]> {
  const ids = (await readRunConfig(sql, run)).subAgents.filter(isId)
  return sql<SubAgent>`
    select a.id, a.name, a.description, b.id as build_id, b.config, a.paused_at is not null as is_paused, a.paused_reason
    from agents a left join builds b on b.agent_id = a.id and b.status = 'live'
    where a.team_id = ${run.team_id} and a.id = any(${ids}::uuid[]) and a.deleted_at is null and not a.is_hidden order by a.name`
}

const agentsRun = waitingTool({
  name: 'agents_run',
  description: 'Start a run of another agent with a message, wait for its end, and get its output.',
  input: Type.Object({
    agent: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Its name or id; agents_list tells which there are.',
    }),
    message: Type.Optional(Type.Union([Type.String(), Type.Record(Type.String(), Type.Unknown())])),
  }),
  waitsFor: 'sub_run',
  async begin({ run, step, input }, sql, context) {
    if (run.depth >= depthMax) return { error: `Runs may start runs ${depthMax} levels deep at most.` }
    const allowed = await subAgentsOf(sql, run)
    const agent = allowed.find(({ id, name }) => id === input.agent || name === input.agent)
    if (!agent) return { error: `This agent may not start ${input.agent}. It may start: ${namesOf(allowed)}.` }
    if (!agent.build_id) return { error: `${agent.name} has no live build.` }
    if (agent.is_paused) return { error: pausedSentence(agent.name, agent.paused_reason) }
    const config = parseBuildConfig(agent.config)
    const engine = engineOf(context)
    const left = await costLeft(sql, run)
    const unpriced = left === null ? undefined : await unpricedOf(engine.models, config, run.team_id, sql)
    if (unpriced !== undefined) {
      const why = `The limit max_cost_usd of this run counts for it too, and ${withoutPrice(unpriced)}.`
      return { error: `${agent.name} was not started. ${why} Start this run without the limit, or ${addPrice}.` }
    }
    const child = await engine.prepare({
      teamId: run.team_id,
      agentId: agent.id,
      buildId: agent.build_id,
      source: 'agent',
      userId: run.user_id,
      actsFor: await readActsFor(sql, run.id),
      message: input.message ?? null,
      title: titleOf(input.message, agent.name),
      metadata: {},
      limits: tightened(config.limits, { max_cost_usd: left }),
      callbackUrl: null,
      sandboxId: null,
      parentRunId: run.id,
      parentStep: step,
      retryOfRunId: null,
      depth: run.depth + 1,
      case: null,
      isCapped: config.max_concurrent_runs !== null,
    })
    const [refused] = (await engine.fitting(sql, [child])).refused
    if (refused) return { error: `${agent.name} was not started. ${refused.reason}` }
    const [created] = await engine.create(sql, [child])
    if (!created) return { error: `${agent.name} was not started: it was paused or deleted a moment ago.` }
    const detail = { run_id: child.id, agent_id: agent.id, agent_name: agent.name }
    return { waiting_on: { kind: 'sub_run', detail } }
  },
  async resolve(_call, sql, { detail }): Promise<Outcome | undefined> {
    const { run_id: id, agent_name: name } = detail as { run_id: string; agent_name: string }
    const [child] = await sql<{ status: Status; output: unknown; error: RunError | null }>`
      select status, output, error from runs where id = ${id}`
    if (!child) return { error: `The run of ${name} was deleted.` }
    if (!hasEnded(child.status)) return undefined
    if (child.status === 'completed') return { result: { run_id: id, status: child.status, output: child.output } }
    return {
      error: `The run of ${name} (${id}) ${child.status === 'stopped' ? 'was stopped' : `failed: ${child.error?.message}`}.`,
    }
  },
})

/** What the caller's own cost limit leaves, its other sub-runs counted; null: it has none. */
async function costLeft(sql: Sql, run: CallingRun): Promise<string | null> {
  const [spent] = await sql<{ limits: Partial<Limits>; cost: string }>`
    select r.limits, r.cost_usd + r.reserved_usd
      + coalesce((select sum(c.cost_usd + c.reserved_usd) from runs c where c.parent_run_id = r.id), 0) as cost
    from runs r where r.id = ${run.id}`
  if (!spent) return null
  const limit = spent.limits.max_cost_usd
  if (limit === undefined || limit === null) return null
  const left = toUnits(limit) - toUnits(spent.cost)
  return fromUnits(left > 0n ? left : 0n)
}

const namesOf = (agents: SubAgent[]): string => agents.map(({ name }) => name).join(', ') || 'none'

const agentsList = insideTool({
  name: 'agents_list',
  description: 'List the agents that you may start.',
  input: Type.Object({}),
  async apply(calls, sql) {
    const outcomes: Outcome[] = []
    for (const { run } of calls) {
      const agents = await subAgentsOf(sql, run)
      outcomes.push({ result: { agents: agents.map(({ id, name, description }) => ({ id, name, description })) } })
    }
    return outcomes
  },
})

export const agentsSet: ToolSet = {
  name: 'agents',
  title: 'Agents',
  description: 'Start runs of other agents and wait for what they bring.',
  provider: null,
  tools: [agentsList, agentsRun],
}
