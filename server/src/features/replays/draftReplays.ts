// Replays of drafts that the service made itself: with a set of their own, which no list shows, and whose recordings go when nobody needs them.
import { newId } from '../../base/ids.ts'
import type { DraftReplays } from '../../kit/feature.ts'
import { beginReplay, endReplay, isTeamBusy } from './beginReplay.ts'
import { newBudget, record, setBytesMax } from './recording.ts'

/**
 * The budget of one draft, by the size of logs as stored. It is small because all of them are read in one transaction, for which the events
 * and seals of all teams wait. What is left out is replayed by whoever makes a set of their own.
 */
const draftBytesMax = 8 * 1024 ** 2

export const draftReplays: DraftReplays = {
  async begin(wanted) {
    const { sql, context, teamId, agentId, build, runIds, maxCostUsd, memberId } = wanted
    // before its storage, as everybody who locks both does; beginReplay wants it too
    await sql`select id from teams where id = ${teamId} for no key update`
    // before anything is copied: a suggestion asks again every minute until its turn comes, and beginReplay looks again
    if (await isTeamBusy(sql, teamId)) return 'busy'
    const setId = newId()
    await sql`
      insert into replay_sets (id, team_id, agent_id, name, of_suggestion, created_by)
      values (${setId}, ${teamId}, ${agentId}, ${`Suggestion ${setId}`}, true, ${memberId})`
    const refusals = new Set<string>()
    const budget = newBudget(draftBytesMax)
    for (const runId of runIds) {
      const [set] = await sql<{ is_full: boolean }>`
        select size_bytes >= ${setBytesMax} as is_full from replay_sets where id = ${setId} and team_id = ${teamId}`
      if (set?.is_full) break
      const refusal = await record(sql, { context, teamId, setId, agentId, runId }, budget)
      if (refusal !== undefined) refusals.add(refusal)
    }
    const begun = await beginReplay({ sql, context, teamId, agentId, setId, build, maxCostUsd, memberId })
    if ('replay' in begun) return { replayId: begun.replay.id }
    await sql`delete from replay_sets where id = ${setId} and team_id = ${teamId}`
    const { message, isBusy } = begun.refusal
    if (isBusy) return 'busy'
    return { problem: refusals.size === 0 ? message : [...refusals].join(' ') }
  },
  async end({ sql, teamId, replayId }) {
    // the set first, as whoever deletes a run in it does
    const sets = await sql<{ id: string }>`
      select s.id from replay_sets s join replays r on r.set_id = s.id
      where r.id = ${replayId} and s.team_id = ${teamId} and s.of_suggestion for no key update of s`
    await endReplay(sql, replayId, teamId)
    for (const { id } of sets) await sql`delete from replay_recordings where set_id = ${id} and team_id = ${teamId}`
  },
}
