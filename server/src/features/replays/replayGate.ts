// The replay gate: a build becomes live only after a replay of it, as it is now, matched well enough and cost little enough.
import type { Sql } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { canonicalHash } from '../../engine/builds/canonicalHash.ts'
import type { ReplayGate as Gate, ReplayVerdict } from '../../kit/feature.ts'
import { Id, named, nullable, Time, Type, type Static } from '../../kit/schema.ts'
import { replayFields } from './replay.ts'

export const gateFields = {
  replay_set_id: Id,
  min_match: Type.Number({ minimum: 0, maximum: 1, description: 'The least match of the replay.', examples: [0.95] }),
  max_cost_usd: nullable(
    Type.Unsafe<string>({
      ...replayFields.max_cost_usd,
      description: 'What the replay may have cost at most, as decimal text.',
    }),
  ),
}

const ReplayGate = named('ReplayGate', Type.Object({ ...gateFields, updated_by: nullable(Id), updated_at: Time }))

const ForcedPastReplay = named(
  'ForcedPastReplay',
  Type.Object({
    id: Id,
    build_id: Id,
    reason: Type.String(),
    replay_id: nullable(Id),
    match: nullable(Type.Number({ description: 'The match of the build at that moment.' })),
    min_match: Type.Number(),
    forced_by: nullable(Id),
    created_at: Time,
  }),
)

export const ReplayGateAnswer = Type.Object({
  replay_gate: nullable(ReplayGate),
  agent_id: Id,
  forced_promotions: Type.Array(ForcedPastReplay, { description: 'The latest 20, newest first.' }),
})

export async function readReplayGate(
  sql: Sql,
  teamId: string,
  agentId: string,
): Promise<Static<typeof ReplayGateAnswer>> {
  const [gate] = await sql<Static<typeof ReplayGate>>`
    select set_id as replay_set_id, min_match::float8, trim_scale(max_cost_usd)::text as max_cost_usd, updated_by, updated_at
    from replay_gates where agent_id = ${agentId} and team_id = ${teamId}`
  const forced = await sql<Static<typeof ForcedPastReplay>>`
    select id, build_id, reason, replay_id, match::float8, min_match::float8, forced_by, created_at
    from replay_gate_bypasses where agent_id = ${agentId} and team_id = ${teamId} order by id desc limit 20`
  return { replay_gate: gate ?? null, agent_id: agentId, forced_promotions: forced }
}

interface Measured extends Omit<ReplayVerdict, 'refusal'> {
  config: unknown
  config_hash: string | null
  is_outdated: boolean
}

export const replayGate: Gate = {
  /** The latest finished replay of the build against the set counts, if neither has changed since. */
  async judge({ sql, teamId, agentId, buildId }) {
    const [measured] = await sql<Measured>`
      select g.set_id as replay_set_id, g.min_match::float8, trim_scale(g.max_cost_usd)::text as max_cost_usd, r.id as replay_id,
        round(r.match_sum / nullif(r.runs, 0), 5)::float8 as match, trim_scale(r.cost_usd + r.unsettled_usd)::text as cost_usd,
        coalesce(round(r.match_sum / nullif(r.runs, 0), 5) >= g.min_match
          and (g.max_cost_usd is null or r.cost_usd + r.unsettled_usd <= g.max_cost_usd), false) as is_open,
        b.config, r.config_hash, coalesce(r.set_version <> s.version, false) as is_outdated
      from replay_gates g join replay_sets s on s.id = g.set_id join builds b on b.id = ${buildId} and b.team_id = ${teamId}
      left join lateral (
        select * from replays where build_id = ${buildId} and team_id = ${teamId} and set_id = g.set_id and state = 'completed'
        order by id desc limit 1) r on true
      where g.agent_id = ${agentId} and g.team_id = ${teamId}`
    if (!measured) return undefined
    const { config, config_hash, is_outdated, ...verdict } = measured
    const { replay_set_id, min_match, max_cost_usd } = verdict
    if (config_hash === canonicalHash(config) && !is_outdated) return { ...verdict, refusal: refusal(verdict) }
    const none = {
      replay_set_id,
      min_match,
      max_cost_usd,
      replay_id: null,
      match: null,
      cost_usd: null,
      is_open: false,
    }
    return { ...none, refusal: refusal(none) }
  },
  async bypass({ sql, teamId, agentId, buildId, verdict, memberId, reason }) {
    const { replay_id, match, min_match } = verdict
    await sql`
      insert into replay_gate_bypasses (id, team_id, agent_id, build_id, reason, replay_id, match, min_match, forced_by)
      values (${newId()}, ${teamId}, ${agentId}, ${buildId}, ${reason}, ${replay_id}, ${match}, ${min_match}, ${memberId})`
  },
}

function refusal({ replay_set_id, min_match, max_cost_usd, match, cost_usd }: Omit<ReplayVerdict, 'refusal'>): string {
  const cost = max_cost_usd === null ? '' : ` that cost at most ${max_cost_usd} dollars`
  const asks = `The replay gate asks for a replay of this build against the set ${replay_set_id}${cost}, with a match of at least ${min_match}.`
  const force = 'or give force_reason to promote it all the same.'
  if (match === null)
    return `${asks} There is none of the build and the set as they are now. Start one and promote it afterwards, ${force}`
  return `${asks} The latest one matched ${match} and cost ${cost_usd} dollars. Look at what differs in its runs, improve the build and replay it again, ${force}`
}
