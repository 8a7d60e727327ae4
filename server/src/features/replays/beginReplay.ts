// Begins a replay of a build against a set, and ends one: whoever asks, a caller or a suggestion.
import { one, type Sql } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { parseBuildConfig } from '../../engine/builds/buildConfig.ts'
import { canonicalHash } from '../../engine/builds/canonicalHash.ts'
import { monthSpent } from '../../engine/counting/monthSpent.ts'
import { engineOf, storageProblem } from '../../engine/engine.ts'
import type { Context } from '../../kit/context.ts'
import { replayColumns, type Replay } from './replay.ts'
import { countInDoubt } from './replaying/callsInDoubt.ts'

/** How many replays of a team may run at once. */
export const runningMax = 5
/** How many replays an agent keeps: a report may be long, and nobody reads the old ones. */
export const keptMax = 50

/** The report of a run takes at least this much. Each report asks for room when it is written; but where there is none, a replay is not begun and paid for. */
const reportBytesMin = 400

interface Wanted {
  sql: Sql
  context: Context
  teamId: string
  agentId: string
  setId: string
  build: { id: string; config: unknown }
  /** Null: no limit. */
  maxCostUsd: string | null
  memberId: string
}

interface ReplayRefusal {
  code: 'conflict' | 'entitlement_exceeded' | 'invalid_request' | 'not_found'
  message: string
  /** It may begin when another one has ended. */
  isBusy?: true
}

export async function beginReplay(wanted: Wanted): Promise<{ replay: Replay } | { refusal: ReplayRefusal }> {
  const { sql, context, teamId, agentId, setId, build, maxCostUsd, memberId } = wanted
  const unaffordable = await refusalOfCost(wanted)
  if (unaffordable) return { refusal: unaffordable }
  // two starts count each other
  await sql`select id from teams where id = ${teamId} for no key update`
  // its recordings are counted, and none comes or goes before they are copied
  const [set] = await sql<{ version: number; recordings: number }>`
    select version, recordings from replay_sets where id = ${setId} and team_id = ${teamId} for no key update`
  if (!set) return { refusal: { code: 'not_found', message: 'The replay set is gone.' } }
  if (set.recordings === 0) {
    return { refusal: { code: 'conflict', message: 'The set has no recordings. Add some with addRecordings first.' } }
  }
  const full = await storageProblem(context, sql, teamId, set.recordings * reportBytesMin)
  if (full !== undefined) return { refusal: { code: 'entitlement_exceeded', message: full } }
  if (await isTeamBusy(sql, teamId)) {
    const message = `The team has ${runningMax} replays under way, which is the most. Wait for one, or cancel one.`
    return { refusal: { code: 'conflict', message, isBusy: true } }
  }
  await sql`
    delete from replays where team_id = ${teamId} and state <> 'running' and id in (
      select id from replays where agent_id = ${agentId} and team_id = ${teamId} order by id desc offset ${keptMax - 1})`
  // the set of a suggestion is found only by its replay: with that gone, nobody would ever erase its recordings
  await sql`
    delete from replay_sets where team_id = ${teamId} and id in (
      select s.id from replay_sets s
      where s.agent_id = ${agentId} and s.team_id = ${teamId} and s.of_suggestion and s.id <> ${setId}
        and not exists (select from replays r where r.set_id = s.id) for update skip locked)`
  const id = newId()
  const [replay] = await sql<Replay>`
    insert into replays as r (id, team_id, agent_id, set_id, set_version, build_id, config, config_hash, max_cost_usd, runs, started_by)
    values (${id}, ${teamId}, ${agentId}, ${setId}, ${set.version}, ${build.id},
      ${JSON.stringify(build.config)}::jsonb, ${canonicalHash(build.config)}, ${maxCostUsd}::numeric, ${set.recordings}, ${memberId})
    returning ${replayColumns}`
  await sql`
    insert into replay_runs (id, team_id, replay_id, recording_id, run_id, run_number, run_title)
    select gen_random_uuid(), c.team_id, ${id}::uuid, c.id, c.run_id, c.run_number, c.run_title
    from replay_recordings c where c.set_id = ${setId} and c.team_id = ${teamId}`
  return { replay: replay! }
}

/** Whether the team has as many replays under way as it may. */
export async function isTeamBusy(sql: Sql, teamId: string): Promise<boolean> {
  const running = await one(sql<{ count: number }>`
    select count(*) as count from replays where team_id = ${teamId} and state = 'running'`)
  return running.count >= runningMax
}

async function refusalOfCost({ sql, context, teamId, build, maxCostUsd }: Wanted): Promise<ReplayRefusal | undefined> {
  const { models } = engineOf(context)
  const ofTeam = await models.of(teamId, sql)
  const { models: named } = parseBuildConfig(build.config)
  const live = (named.length > 0 ? named : [ofTeam.defaultModel]).filter((name) => !ofTeam.find(name).isPure)
  const unpriced = maxCostUsd === null ? undefined : live.find((name) => models.priceOf(name) === undefined)
  if (unpriced !== undefined) {
    const message = `max_cost_usd: ${unpriced} has no price, so its cost cannot be limited. Leave max_cost_usd out.`
    return { code: 'invalid_request', message }
  }
  const spent = live.length > 0 ? await monthSpent(sql, teamId) : undefined
  if (spent === undefined) return undefined
  return { code: 'entitlement_exceeded', message: `${spent} A build that needs no model can be replayed all the same.` }
}

/** Undefined: it has ended already. What is replayed stays in its report. */
export async function endReplay(sql: Sql, replayId: string, teamId: string): Promise<Replay | undefined> {
  const [cancelled] = await sql`
    update replays r set state = 'cancelled', completed_at = now(), runs_not_replayed = r.runs - r.runs_same - r.runs_changed
    where r.id = ${replayId} and r.team_id = ${teamId} and r.state = 'running' returning id`
  if (!cancelled) return undefined
  // whom nobody waits for any more may still answer
  await countInDoubt(sql, { replay_id: replayId, team_id: teamId })
  await sql`
    update replay_runs set state = 'done', verdict = 'not_replayed', reason = 'The replay was cancelled.', claim = null, worker = null,
      completed_at = now()
    where replay_id = ${replayId} and team_id = ${teamId} and state = 'pending'`
  await sql`
    delete from replay_turns where replay_run_id in (
      select id from replay_runs where replay_id = ${replayId} and team_id = ${teamId})`
  const [ended] = await sql<Replay>`
    select ${replayColumns} from replays r where r.id = ${replayId} and r.team_id = ${teamId}`
  return ended
}

/** Before sets are deleted, whose rows the caller has locked: their replays go with them, and calls under way must be in the usage all the same. */
export async function endReplaysOf(sql: Sql, setIds: string[], teamId: string): Promise<void> {
  const running = await sql<{ id: string }>`
    select id from replays where set_id = any(${setIds}::uuid[]) and team_id = ${teamId} and state = 'running' order by id`
  for (const { id } of running) await endReplay(sql, id, teamId)
}
