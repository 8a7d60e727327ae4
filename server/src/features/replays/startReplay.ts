// Replays a build against the recordings of a set: in the background, with nothing of the outside world.
import { idForFilter, newId } from '../../base/ids.ts'
import { one } from '../../base/db.ts'
import { parseBuildConfig } from '../../engine/builds/buildConfig.ts'
import { canonicalHash } from '../../engine/builds/canonicalHash.ts'
import { engineOf } from '../../engine/engine.ts'
import { operation } from '../../kit/operation.ts'
import { Type, wrapped } from '../../kit/schema.ts'
import { monthSpent } from './monthSpent.ts'
import { Replay, replayColumns, replayFields } from './replay.ts'

/** How many replays of a team may run at once. */
const runningMax = 5
/** How many replays an agent keeps: a report may be long, and nobody reads the old ones. */
const keptMax = 50

export const startReplay = operation({
  id: 'startReplay',
  client: 'replays.start',
  route: 'POST /v2/replay-sets/:replay_set_id/replays',
  summary: 'Replay a build',
  description:
    'Every recording of the set is replayed with the build as it is now. A runbook needs no model; any other build’s model answers live, and is paid for: ' +
    '`max_cost_usd` bounds that. Tools and people answer from the record, and a call that is not in it is a finding and is never made. ' +
    `A team has at most ${runningMax} replays under way, and an agent keeps its latest ${keptMax}.`,
  scope: 'evals:write',
  body: Type.Object(
    {
      build_id: Type.Optional(
        Type.String({ description: 'A build of the agent of the set; the live one unless given.' }),
      ),
      max_cost_usd: Type.Optional(replayFields.max_cost_usd),
    },
    { examples: [{ max_cost_usd: '2.50' }] },
  ),
  status: 202,
  answer: wrapped('replay', 'replay_id', Replay),
  errors: ['conflict', 'entitlement_exceeded', 'invalid_request', 'not_found'],
  async handler({ team, caller, replay_set, body, context, sql, fail }) {
    const wanted = body.build_id === undefined ? null : idForFilter(body.build_id)
    const [build] = await sql<{ id: string; config: unknown }>`
      select b.id, b.config from builds b join agents a on a.id = b.agent_id
      where b.agent_id = ${replay_set.agent_id} and b.team_id = ${team.id} and a.deleted_at is null
        and case when ${wanted}::uuid is null then b.status = 'live' else b.id = ${wanted} end`
    if (!build) return fail('not_found', 'The agent of this set has no build with this build_id.')
    const { models } = engineOf(context)
    const ofTeam = await models.of(team.id, sql)
    const { models: named } = parseBuildConfig(build.config)
    const live = (named.length > 0 ? named : [ofTeam.defaultModel]).filter((name) => !ofTeam.find(name).isPure)
    const max = body.max_cost_usd ?? null
    const unpriced = max === null ? undefined : live.find((name) => models.priceOf(name) === undefined)
    if (unpriced !== undefined) {
      fail(
        'invalid_request',
        `max_cost_usd: ${unpriced} has no price, so its cost cannot be limited. Leave max_cost_usd out.`,
      )
    }
    const spent = live.length > 0 ? await monthSpent(sql, team.id) : undefined
    if (spent !== undefined) fail('entitlement_exceeded', spent)
    // two starts count each other
    await sql`select id from teams where id = ${team.id} for no key update`
    // its recordings are counted, and none comes or goes before they are copied
    const [set] = await sql<{ version: number; recordings: number }>`
      select version, recordings from replay_sets where id = ${replay_set.id} and team_id = ${team.id} for no key update`
    if (!set) return fail('not_found')
    if (set.recordings === 0) fail('conflict', 'The set has no recordings. Add some with addRecordings first.')
    const running = await one(sql<{ count: number }>`
      select count(*) as count from replays where team_id = ${team.id} and state = 'running'`)
    if (running.count >= runningMax) {
      fail('conflict', `The team has ${runningMax} replays under way, which is the most. Wait for one, or cancel one.`)
    }
    await sql`
      delete from replays where team_id = ${team.id} and state <> 'running' and id in (
        select id from replays where agent_id = ${replay_set.agent_id} and team_id = ${team.id} order by id desc offset ${keptMax - 1})`
    const id = newId()
    const [made] = await sql<Replay>`
      insert into replays as r (id, team_id, agent_id, set_id, set_version, build_id, config, config_hash, max_cost_usd, runs, started_by)
      values (${id}, ${team.id}, ${replay_set.agent_id}, ${replay_set.id}, ${set.version}, ${build.id},
        ${JSON.stringify(build.config)}::jsonb, ${canonicalHash(build.config)}, ${max}::numeric, ${set.recordings}, ${caller.member_id})
      returning ${replayColumns}`
    await sql`
      insert into replay_runs (id, team_id, replay_id, recording_id, run_id, run_number, run_title)
      select gen_random_uuid(), c.team_id, ${id}::uuid, c.id, c.run_id, c.run_number, c.run_title
      from replay_recordings c where c.set_id = ${replay_set.id} and c.team_id = ${team.id}`
    return { replay: made!, replay_id: id }
  },
})
