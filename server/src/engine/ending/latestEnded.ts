// The latest runs of an agent that completed or failed, read newest first from the index by agent, until there are enough.
import { empty, part, type Part } from '../../base/db.ts'

interface Wanted {
  teamId: string
  agentId: string
  max: number
  /** Only those that ended like this. */
  status?: 'completed' | 'failed' | undefined
  /** Only those of this build. */
  buildId?: string | undefined
}

/**
 * SQL: their ids and `created_at`, newest first, without runs of artifacts and without those that never began. Each way to end is a range of the
 * index by agent; no index has both in one order.
 */
export const latestEnded = (wanted: Wanted): Part => part`
  select id, created_at from (
    ${wanted.status === 'failed' ? empty : range(wanted, 'completed')}
    ${wanted.status === undefined ? part`union all` : empty}
    ${wanted.status === 'completed' ? empty : range(wanted, 'failed')}
  ) latest order by created_at desc, id desc limit ${wanted.max}`

const range = ({ teamId, agentId, buildId, max }: Wanted, outcome: string): Part => part`
  (select r.id, r.created_at from runs r
   where r.team_id = ${teamId} and r.agent_id = ${agentId} and r.counted_as = ${outcome} and r.source <> 'artifact' and r.started_at is not null
     ${buildId === undefined ? empty : part`and r.build_id = ${buildId} and r.created_at >= ${madeAt(teamId, buildId)}`}
   order by r.created_at desc, r.id desc limit ${max})`

/**
 * No run is older than its build, so older ones are not looked through. Newer runs of other builds are: no index has the build. Clocks of processes
 * may differ.
 */
const madeAt = (teamId: string, buildId: string): Part => part`
  (select b.created_at - interval '1 hour' from builds b where b.id = ${buildId} and b.team_id = ${teamId})`
