// Copies runs into a replay set: those that are named, or the last ones of the agent.
import type { Sql } from '../../base/db.ts'
import { idForFilter, isId } from '../../base/ids.ts'
import { latestEnded } from '../../engine/ending/latestEnded.ts'
import { recordOutcome, type AuditEntry } from '../../kit/audit.ts'
import { operation } from '../../kit/operation.ts'
import { Id, oneOf, Type } from '../../kit/schema.ts'
import {
  newBudget,
  readBytesMax,
  record,
  recordingsMax,
  setBytesMax,
  type ReadBudget,
  type WantedRecording,
} from './recording.ts'
import { ReplaySet, setColumns } from './replaySet.ts'

const namedMax = 100
const lastMax = 500

export const addRecordings = operation({
  id: 'addRecordings',
  client: 'replays.addRecordings',
  route: 'POST /v2/replay-sets/:replay_set_id/recordings',
  summary: 'Record runs in a replay set',
  description:
    'Give either `run_ids`, or `last` for the latest runs of the agent that completed or failed. What a replay needs of each run is copied. The copy ' +
    'stays when the run’s log is erased after its time, and is deleted with the run. A run that cannot be recorded is skipped with the reason. ' +
    `A set has at most ${recordingsMax} recordings and ${setBytesMax / 1024 ** 2} MiB. One request reads about ${readBytesMax / 1024 ** 2} MiB of logs: ` +
    'runs that do not fit are skipped with that reason, for another request. Recordings count as storage of the team, and what does not fit there is skipped too.',
  scope: 'evals:write',
  body: Type.Object(
    {
      run_ids: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: namedMax })),
      last: Type.Optional(Type.Integer({ minimum: 1, maximum: lastMax, examples: [50] })),
      status: Type.Optional(
        oneOf(['completed', 'failed'], { description: 'With `last`: only runs that ended like this.' }),
      ),
      build_id: Type.Optional(Type.String({ description: 'With `last`: only runs of this build.' })),
    },
    { examples: [{ last: 50, status: 'completed' }] },
  ),
  status: 200,
  answer: Type.Object({
    replay_set: ReplaySet,
    added: Type.Integer({ minimum: 0 }),
    skipped: Type.Array(Type.Object({ run_id: Type.String(), reason: Type.String() })),
    replay_set_id: Id,
  }),
  errors: ['conflict', 'invalid_request', 'not_found'],
  // Not outside, but a commit for each run: the events and the seals of all teams wait for the oldest transaction that writes. Of a request that
  // dies or is refused in the middle, the recordings stay that it had made, each with its audit row, and its repetition makes the others.
  actsOutside: true,
  async prepare({ team, replay_set, body, caller, requestId, context, sql, act, fail }) {
    if ((body.run_ids === undefined) === (body.last === undefined))
      fail('invalid_request', 'Give either run_ids or last.')
    if (body.run_ids !== undefined && (body.status ?? body.build_id) !== undefined) {
      fail('invalid_request', 'status and build_id choose among the last runs: give them with last.')
    }
    // nobody would erase them: no list shows the set, and its own recordings go when the suggestion is decided
    const hidden = await sql`
      select id from replay_sets where id = ${replay_set.id} and team_id = ${team.id} and of_suggestion`
    if (hidden.length > 0) fail('conflict', 'This set belongs to a suggestion. Make a set of your own for other runs.')
    const { id: setId, agent_id: agentId } = replay_set
    const ids = body.run_ids
      ? [...new Set(body.run_ids)]
      : await lastRuns(sql, { teamId: team.id, agentId, ...body, last: body.last ?? 0 })
    const skipped: { run_id: string; reason: string }[] = []
    const budget = newBudget()
    const by = { memberId: caller.member_id, credential: caller.credential, requestId }
    let added = 0
    for (const runId of ids) {
      const outcome = isId(runId)
        ? await act((tx) => recordInSet(tx, { context, teamId: team.id, setId, agentId, runId, by }, budget))
        : { reason: 'This is not the id of a run.' }
      if (outcome === 'gone') return fail('not_found')
      if ('reason' in outcome) skipped.push({ run_id: runId, reason: outcome.reason })
      else added += outcome.added
    }
    return { added, skipped }
  },
  async handler({ team, replay_set, prepared, sql, fail }) {
    const [set] = await sql<ReplaySet>`
      select ${setColumns} from replay_sets s where s.id = ${replay_set.id} and s.team_id = ${team.id}`
    return set ? { replay_set: set, ...prepared, replay_set_id: set.id } : fail('not_found')
  },
})

type RunOutcome = { added: 0 | 1 } | { reason: string } | 'gone'

interface AuditedRecording extends WantedRecording {
  /** Who asked for it, and by which request. */
  by: Pick<AuditEntry, 'memberId' | 'credential' | 'requestId'>
}

/** In a transaction of its own, with the set locked: nobody else fills it, and a run that it holds already is not counted. */
async function recordInSet(sql: Sql, wanted: AuditedRecording, budget: ReadBudget): Promise<RunOutcome> {
  const { teamId, setId, runId, by } = wanted
  const [set] = await sql<{ recordings: number; is_full: boolean }>`
    select recordings, recordings >= ${recordingsMax}::int or size_bytes >= ${setBytesMax}::bigint as is_full
    from replay_sets where id = ${setId} and team_id = ${teamId} for no key update`
  if (!set) return 'gone'
  if (set.is_full) {
    return { reason: `The set is full: it has at most ${recordingsMax} recordings and ${setBytesMax / 1024 ** 2} MiB.` }
  }
  const reason = await record(sql, wanted, budget)
  if (reason !== undefined) return { reason }
  const [made] = await sql<{ id: string }>`
    select c.id from replay_sets s join replay_recordings c on c.set_id = s.id and c.run_id = ${runId}
    where s.id = ${setId} and s.team_id = ${teamId} and s.recordings > ${set.recordings}::int`
  if (!made) return { added: 0 }
  // the row of the whole request comes with its answer, which may never be given
  const target = { type: 'recording', id: made.id }
  await recordOutcome(sql, { ...by, teamId, operation: addRecordings.id, target, status: 200, error: null })
  return { added: 1 }
}

interface Last {
  teamId: string
  agentId: string
  last: number
  status?: 'completed' | 'failed'
  build_id?: string
}

/** The latest first. Those whose logs are erased are older than all others, and come with their reason. */
export async function lastRuns(sql: Sql, { teamId, agentId, last, status, build_id }: Last): Promise<string[]> {
  const buildId = build_id === undefined ? undefined : idForFilter(build_id)
  const rows = await sql<{ id: string }>`
    select id from (${latestEnded({ teamId, agentId, status, buildId, max: last })}) latest order by created_at desc, id desc`
  return rows.map(({ id }) => id)
}
