// Copies runs into a replay set: those that are named, or the last ones of the agent.
import type { Sql } from '../../base/db.ts'
import { idForFilter, isId } from '../../base/ids.ts'
import { latestEnded } from '../../engine/ending/latestEnded.ts'
import { operation } from '../../kit/operation.ts'
import { Id, oneOf, Type } from '../../kit/schema.ts'
import { newBudget, readBytesMax, record, recordingsMax, setBytesMax } from './recording.ts'
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
    `A set has at most ${recordingsMax} recordings and ${setBytesMax / 1024 ** 2} MiB. One request reads at most ${readBytesMax / 1024 ** 2} MiB of logs: ` +
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
  async handler({ team, replay_set, body, context, sql, fail }) {
    if ((body.run_ids === undefined) === (body.last === undefined))
      fail('invalid_request', 'Give either run_ids or last.')
    if (body.run_ids !== undefined && (body.status ?? body.build_id) !== undefined) {
      fail('invalid_request', 'status and build_id choose among the last runs: give them with last.')
    }
    const lock = async () => {
      const [set] = await sql<ReplaySet>`
        select ${setColumns} from replay_sets s where s.id = ${replay_set.id} and s.team_id = ${team.id} for no key update`
      return set ?? fail('not_found')
    }
    const before = await lock()
    // nobody would erase them: no list shows the set, and its own recordings go when the suggestion is decided
    const hidden = await sql`
      select id from replay_sets where id = ${replay_set.id} and team_id = ${team.id} and of_suggestion`
    if (hidden.length > 0) fail('conflict', 'This set belongs to a suggestion. Make a set of your own for other runs.')
    const { agent_id: agentId } = before
    const ids = body.run_ids
      ? [...new Set(body.run_ids)]
      : await lastRuns(sql, { teamId: team.id, agentId, ...body, last: body.last ?? 0 })
    const skipped: { run_id: string; reason: string }[] = []
    const budget = newBudget()
    let set = before
    for (const runId of ids) {
      const full = set.recordings >= recordingsMax || set.size_bytes >= setBytesMax
      const reason = full
        ? `The set is full: it has at most ${recordingsMax} recordings and ${setBytesMax / 1024 ** 2} MiB.`
        : isId(runId)
          ? await record(sql, { context, teamId: team.id, setId: set.id, agentId, runId }, budget)
          : 'This is not the id of a run.'
      if (reason === undefined) set = await lock()
      else skipped.push({ run_id: runId, reason })
    }
    return { replay_set: set, added: set.recordings - before.recordings, skipped, replay_set_id: set.id }
  },
})

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
