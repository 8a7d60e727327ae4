// Does a dry run: reads what runs did, run by run and their calls some at a time, and judges it. Nothing is written until its report is whole.
import { BoundedCache } from '../../base/boundedCache.ts'
import { part, type Part, type Sql } from '../../base/db.ts'
import { needsApproval } from '../../engine/builds/approvalPolicy.ts'
import type { BuildConfig } from '../../engine/builds/buildConfig.ts'
import { readRunConfig } from '../../engine/builds/loadBuild.ts'
import { costBesideRuns } from '../../engine/counting/usageSql.ts'
import { engineOf } from '../../engine/engine.ts'
import { stopByBound } from '../../engine/guardrails/judge.ts'
import { rulesOf, type GuardrailDocument, type Rules } from '../../engine/guardrails/rules.ts'
import { callIdOf } from '../../engine/ledger/change.ts'
import type { ToolRegistry } from '../../engine/builds/toolRegistry.ts'
import type { Context } from '../../kit/context.ts'
import { job } from '../../kit/job.ts'
import { connectionUseOf, givenToolsOf } from '../../kit/registry.ts'
import { Id, Type } from '../../kit/schema.ts'
import { teamTimeOf } from '../../kit/teamTime.ts'
import type { CallingRun } from '../../kit/tool.ts'
import {
  judgeRun,
  newJudging,
  spendBesideRuns,
  type CallFacts,
  type RecordedRun,
  type RecordedStep,
} from './judgedRecords.ts'

const runsAtOnce = 200
/** How many bytes of calls are read at once, beside one that is larger. A short row on the disk may be a long text. */
const bytesAtOnce = 2 ** 20
/** A call counts this much besides the text of its arguments, so that calls without any fill a page too. */
const bytesOfRow = 1024
/** How many runs one dry run judges: what a busy team does in a month may be more than anybody waits for. */
const runsMax = 300_000

interface DryRunRow {
  rules: GuardrailDocument
  since: Date
  until: Date
}

export const judgeRecords = job({
  name: 'judgeRecords',
  input: Type.Object({ team_id: Id, dry_run_id: Id }),
  safeToRepeat: 'it only reads, and its report is written once, where there is none',
  attemptsMax: 5,
  async handler({ input: { team_id, dry_run_id }, context, signal }) {
    const { sql } = context.db
    const [asked] = await sql<DryRunRow>`
      select rules, since, until from guardrail_dry_runs where id = ${dry_run_id} and team_id = ${team_id} and status = 'running'`
    if (!asked) return
    // as a version that does not exist yet
    const judging = newJudging(context, team_id, rulesOf(asked.rules, 0, asked.since))
    for (const { day, cost } of await costBesideRuns(sql, team_id, asked))
      spendBesideRuns(judging, Date.parse(day), cost)
    const facts = createFacts(context, judging.rules)
    let at: Position | undefined = { created_at: asked.since, id: firstId }
    while (at) {
      const { runs, next } = await readRuns(sql, team_id, at, asked.until)
      for (const run of runs) {
        signal.throwIfAborted()
        await judgeRun(judging, run, readSteps(context, run), (step) => facts(run, step))
      }
      at = next
      if (judging.report.runs >= runsMax && next) {
        judging.report.is_cut = true
        break
      }
    }
    judging.report.rules.sort((one, other) => other.calls - one.calls)
    await sql`
      update guardrail_dry_runs set status = 'done', report = ${JSON.stringify(judging.report)}::jsonb, completed_at = now()
      where id = ${dry_run_id} and team_id = ${team_id} and status = 'running'`
  },
  async givenUp({ input: { team_id, dry_run_id }, sql }) {
    await sql`
      update guardrail_dry_runs set status = 'failed', completed_at = now()
      where id = ${dry_run_id} and team_id = ${team_id} and status = 'running'`
  },
})

const firstId = '00000000-0000-0000-0000-000000000000'

interface Position {
  created_at: Date
  id: string
}

interface RunRow extends RecordedRun {
  team_id: string
  agent_id: string
  build_id: string
  config_hash: string | null
  user_id: string | null
  case_id: string | null
  depth: number
  copied_steps: number
}

/** The next runs in the order of their starts. */
async function readRuns(
  sql: Sql,
  teamId: string,
  after: Position,
  until: Date,
): Promise<{ runs: RunRow[]; next: Position | undefined }> {
  const next = (table: Part, id: Part): Part => part`
    (select ${id}, created_at from ${table}
      and (created_at, ${id}) > (${after.created_at}::timestamptz, ${after.id}::uuid) and created_at < ${until}
      order by created_at, ${id} limit ${runsAtOnce})`
  const listed = next(part`run_search where team_id = ${teamId}`, part`run_id`)
  // starts and money of a day count them too
  const ofArtifacts = next(part`runs where source = 'artifact' and team_id = ${teamId}`, part`id`)
  const found = await sql<{ run_id: string; created_at: Date }>`
    select run_id, created_at from (${listed} union all ${ofArtifacts}) started order by created_at, run_id limit ${runsAtOnce}`
  const ids = found.map(({ run_id }) => run_id)
  const runs = await sql<RunRow>`
    select r.id, r.team_id, r.run_number, r.agent_id, a.name as agent_name, r.build_id, r.config_hash, r.user_id, r.case_id, r.depth, r.parent_run_id,
      r.created_at, r.log_erased_at is null as has_log, r.source <> 'artifact' as is_named, coalesce(r.copied_steps, 0) as copied_steps
    from runs r join agents a on a.id = r.agent_id
    where r.id = any(${ids}::uuid[]) and r.team_id = ${teamId} order by r.created_at, r.id`
  const last = found.at(-1)
  return {
    runs,
    next: found.length < runsAtOnce || !last ? undefined : { created_at: last.created_at, id: last.run_id },
  }
}

/** A call as it is read: the text of its arguments, which is parsed in the team's time. */
interface StepRow extends RecordedStep {
  arguments: string | null
  /** The bytes that are read up to this call, its own included. */
  bytes: number
}

/** Whether a person was asked to allow a call `s` and did not: then it was not made. A tool that asks people itself was. */
const isUnallowed = part`(s.kind <> 'human' and exists (
  select from (
    select h.response from human_requests h
    where h.run_id = s.run_id and h.step = s.seq and h.type = 'approval' order by h.id desc limit 1) newest
  where newest.response -> 'approved' is distinct from 'true'))`

/** When a step `s` was made: a call that waited for a person, a time or a connection begins an attempt after that, and keeps the time of its plan. */
const madeAt = part`
  coalesce((jsonb_path_query_array(s.moments, '$[*] ? (@.kind == "attempt").at') ->> -1)::timestamptz, s.started_at)`

/**
 * The calls of a run in their order, some at a time. What was copied from another run did not happen in this one. The statement goes from call to
 * call and stops by the bytes so far, so the database does not write out texts either that are not read.
 */
async function* readSteps(context: Context, { id, team_id, copied_steps }: RunRow): AsyncGenerator<RecordedStep> {
  const time = teamTimeOf(context)
  const next = (after: Part): Part => part`
    select s.seq, s.kind, s.tool, s.arguments::text as arguments, s.cost_usd::text as cost_usd, ${madeAt} as made_at from run_steps s
    where s.run_id = ${id} and s.seq > ${after} and not coalesce(s.moments @> '[{"kind": "refused"}]', false)
      and not ${isUnallowed} order by s.seq limit 1`
  const read = (after: number) => context.db.sql<StepRow>`
    with recursive step as (
      select n.*, ${bytesOfRow}::bigint + coalesce(octet_length(n.arguments), 0) as bytes from (${next(part`${after}::int`)}) n
      union all
      select n.*, step.bytes + ${bytesOfRow}::bigint + coalesce(octet_length(n.arguments), 0)
      from step, lateral (${next(part`step.seq`)}) n where step.bytes < ${bytesAtOnce}::bigint
    )
    select seq, kind, tool, arguments, cost_usd, made_at, bytes from step order by seq`
  let [after, isWhole] = [copied_steps, false]
  while (!isWhole) {
    await time.turn(team_id)
    const rows = await time.inDatabase(team_id, () => read(after))
    for (const row of rows) yield { ...row, arguments: time.piece(team_id, () => parsed(row.arguments)) }
    const { seq, bytes } = rows.at(-1) ?? { seq: after, bytes: 0 }
    after = seq
    // the page did not fill up
    isWhole = bytes < bytesAtOnce
  }
}

const parsed = (json: string | null): unknown => (json === null ? null : JSON.parse(json))

interface BuildFacts {
  config: BuildConfig
  tools: ToolRegistry
}

/** The tools of each build are read once, as they are now: what a tool declared then is not recorded. */
function createFacts(
  context: Context,
  rules: Rules,
): (run: RunRow, step: RecordedStep) => Promise<CallFacts | undefined> {
  const { toolRegistry } = engineOf(context)
  const { sql } = context.db
  const builds = new BoundedCache<Promise<BuildFacts>>({ name: 'builds of dry runs', entriesMax: 50 })

  async function read(run: RunRow): Promise<BuildFacts> {
    const config = await readRunConfig(sql, run)
    const { connections, given } = config
    const calling = callingRun(run)
    const use = connections.length > 0 ? connectionUseOf(context) : undefined
    const ofConnections = await use?.tools({ sql, context, run: calling, connectionIds: connections })
    const own = await givenToolsOf({ context, run: calling, given })
    return { config, tools: toolRegistry.with([...own, ...(ofConnections ?? [])]) }
  }

  return async (run, step) => {
    const { config, tools } = await builds.getOrMake(`${run.build_id} ${run.config_hash ?? ''}`, () => read(run))
    const tool = tools.find(step.tool ?? '')
    if (!tool) return undefined
    const ofTool = tool.kind === 'outside' ? tool.needsApproval : undefined
    return {
      tool,
      isAskedAnyway: () => ofTool !== undefined || needsApproval(config.approvals.get(tool.name), step.arguments),
      async byConnection({ connection }) {
        if (connection === undefined || !(rules.allowed_connections || rules.allowed_hosts)) return undefined
        if (tool.kind !== 'outside' || !tool.boundTo) return undefined
        const id = callIdOf(run.id, step.seq)
        const call = { id, step: step.seq, run: callingRun(run), input: step.arguments as never }
        return stopByBound(rules, await tool.boundTo(call, { sql, context }))
      },
    }
  }
}

const callingRun = ({ id, team_id, agent_id, build_id, config_hash, user_id, case_id, depth }: RunRow): CallingRun => ({
  id,
  team_id,
  agent_id,
  build_id,
  config_hash,
  user_id,
  case_id,
  depth,
})
