// Makes one suggestion in one transaction: the draft, the builder run that writes it, and the runs behind it.
import type { Sql } from '../../../base/db.ts'
import { newId } from '../../../base/ids.ts'
import { monthSpent } from '../../../engine/counting/monthSpent.ts'
import { engineOf } from '../../../engine/engine.ts'
import type { Context } from '../../../kit/context.ts'
import { platformChecks } from '../../../kit/platformChecks.ts'
import { effectiveScopes, type Role } from '../../../kit/scopes.ts'
import { beginBuilderRun, copyOf } from '../builder/beginBuilderRun.ts'
import { builtinBuilder, writerOf } from '../builder/builderRun.ts'
import { readLesson, type Lesson } from '../builder/lesson.ts'
import { buildColumns, type Build } from '../builds/build.ts'
import { evidenceOf, type Evidence, type FailingCheck } from './failingChecks.ts'
import { isUndecided } from './suggestion.ts'

/** How many suggestions an agent may have that nobody has decided. One cause often makes several checks fail. */
const undecidedMax = 3
/** How many suggestions of a team may be under way at once: each takes a builder run and a replay. */
const underWayMax = 5
/** How many comments of the check the builder is given, newest first, and how much of each. */
const commentsMax = 10
const commentMax = 300

interface Asked {
  sql: Sql
  context: Context
  teamId: string
  agentId: string
  flag: string
}

interface Settings {
  replay_runs: number
  max_replay_cost_usd: string | null
  member_id: string | null
  role: Role | null
}

/** Whoever makes one holds the agent's row: of two that saw the same failures, the second finds the first one's. */
export async function makeSuggestion(
  context: Context,
  { agent_id: agentId, team_id: teamId, flag }: FailingCheck,
): Promise<void> {
  await context.db.transaction(async (sql) => {
    const agents = await sql`
      select id from agents where id = ${agentId} and team_id = ${teamId} and deleted_at is null for no key update`
    if (agents.length === 0) return
    const asked = { sql, context, teamId, agentId, flag }
    const [settings] = await sql<Settings>`
      select s.replay_runs, trim_scale(s.max_replay_cost_usd)::text as max_replay_cost_usd, m.id as member_id, m.role
      from suggestion_settings s left join members m on m.id = s.updated_by and m.removed_at is null
      where s.agent_id = ${agentId} and s.team_id = ${teamId}`
    const evidence = settings && (await evidenceOf(sql, asked))
    const [live] = await sql<Build>`
      select ${buildColumns} from builds where agent_id = ${agentId} and team_id = ${teamId} and status = 'live'`
    if (!evidence || !live) return
    const { defaultModel } = await engineOf(context).models.of(teamId, sql)
    const model = writerOf(live.config, defaultModel)
    const heldBack = await whyHeldBack(asked, settings, model)
    await sql`
      update suggestion_settings set held_back = ${heldBack ?? null}
      where agent_id = ${agentId} and team_id = ${teamId} and held_back is distinct from ${heldBack ?? null}`
    if (heldBack === undefined) await insertSuggestion(asked, { settings, evidence, live, model })
  })
}

/** A sentence for whoever reads the settings. */
async function whyHeldBack(
  { sql, teamId, agentId }: Asked,
  { role }: Settings,
  model: string,
): Promise<string | undefined> {
  if (role === null || !effectiveScopes(['*'], role).has('agents:write')) {
    return 'The member who switched suggestions on may not change agents any more. Somebody who may must set them again.'
  }
  if (model === builtinBuilder) return 'No model is configured, so nobody can write a draft.'
  const [count] = await sql<{ undecided: number; under_way: number }>`
    select (select count(*) from suggestions g where g.agent_id = ${agentId} and ${isUndecided})::int as undecided,
      (select count(*) from suggestions g where g.team_id = ${teamId} and g.state in ('drafting', 'replaying'))::int as under_way`
  if (count!.undecided >= undecidedMax)
    return `The agent has ${undecidedMax} suggestions that nobody has decided, which is the most.`
  if (count!.under_way >= underWayMax)
    return `The team has ${underWayMax} suggestions under way, which is the most. This one waits.`
  return monthSpent(sql, teamId)
}

const request = `A check fails again and again in runs of this agent. facts.message.past_run is one of these runs; its failed_check says which check, and what it said of each run.
Change the procedure in one way, as small as you can, so that the check passes in runs like these. Leave everything else as it is, the setup too. A person compares it with the procedure as it is now, and decides.
Nobody waits here to answer questions. If no change of the procedure would help, give it back as it is.`

interface Found {
  settings: Settings
  evidence: Evidence
  live: Build
  model: string
}

async function insertSuggestion(asked: Asked, { settings, evidence, live, model }: Found): Promise<void> {
  const { sql, teamId, agentId, flag } = asked
  const memberId = settings.member_id!
  const [latest] = evidence.runs
  const lesson = await readLesson(sql, latest!.run_id, agentId, teamId)
  if (!lesson) return
  const label = latest!.label ?? labelOf(flag)
  const copy = await copyOf(sql, live, teamId, memberId)
  await sql`update builds set revision_name = ${`Suggestion: ${label}`.slice(0, 80).toWellFormed()} where id = ${copy.id} and team_id = ${teamId}`
  const failed_check = await failedCheck(asked, { live, evidence, label })
  const learns = { runId: latest!.run_id, lesson: { ...lesson, failed_check } }
  const begun = await beginBuilderRun(sql, { draft: copy, model, prompt: request, learns, teamId, memberId })
  const id = newId()
  await sql`
    insert into suggestions (id, team_id, agent_id, flag, label, failed_runs, of_runs, base_build_id, draft_build_id, builder_run_id, replay_runs,
      max_replay_cost_usd)
    values (${id}, ${teamId}, ${agentId}, ${flag}, ${label}, ${evidence.runs.length}, ${evidence.of_runs}, ${live.id}, ${copy.id}, ${begun!.id},
      ${settings.replay_runs}, ${settings.max_replay_cost_usd}::numeric)`
  await sql`
    insert into suggestion_runs (suggestion_id, team_id, run_id, run_number, run_title, run_ended_at, comment)
    select ${id}::uuid, ${teamId}::uuid, r.run_id, r.run_number, r.run_title, r.run_ended_at, r.comment
    from jsonb_to_recordset(${JSON.stringify(evidence.runs)}::jsonb)
      as r (run_id uuid, run_number bigint, run_title text, run_ended_at timestamptz, comment text)`
}

const labelOf = (flag: string): string =>
  Object.hasOwn(platformChecks, flag) ? platformChecks[flag as keyof typeof platformChecks].label : flag

async function failedCheck(
  { sql, teamId, flag }: Asked,
  { live, evidence, label }: { live: Build; evidence: Evidence; label: string },
): Promise<NonNullable<Lesson['failed_check']>> {
  const [rubric] = await sql<{ description: string }>`
    select description from eval_rubrics
    where build_id = ${live.id} and team_id = ${teamId} and 'custom__' || slug = ${flag} and deleted_at is null`
  const comments = evidence.runs.flatMap(({ run_number, comment }) =>
    comment === null ? [] : [{ run_number, comment: comment.slice(0, commentMax).toWellFormed() }],
  )
  return {
    label,
    description: rubric?.description ?? null,
    failed_runs: evidence.runs.length,
    of_runs: evidence.of_runs,
    comments: comments.slice(0, commentsMax),
  }
}
