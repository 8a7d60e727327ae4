// Stops runs: state, fence, terminal event, open steps, requests, slots and sub-runs in one transaction, so that nothing can be committed for a run after it.
import { part, type Sql } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { insertRunEvents, raisedEventXid } from '../../kit/event.ts'
import { admitNext } from '../admission/admission.ts'
import { activeList, openStepList, toStopped } from '../ledger/lifecycle.ts'
import { stopChannel } from '../ledger/notifyChannels.ts'
import { wakeRuns } from '../admission/wake.ts'

export interface Stopped {
  id: string
  team_id: string
  agent_id: string
  parent_run_id: string | null
}

/**
 * Stops these runs and the active runs below them. Those that have ended already stay as they are and are not in the answer.
 * `onStopped` is called with the stopped runs.
 */
export async function stopRuns(sql: Sql, ids: string[], onStopped?: (stopped: Stopped[]) => void): Promise<Stopped[]> {
  const whole = await withSubRuns(sql, ids)
  const stopped = await stop(sql, whole)
  if (stopped.length === 0) return []
  onStopped?.(stopped)
  const stoppedIds = new Set(stopped.map(({ id }) => id))
  const parents = stopped.map(({ parent_run_id }) => parent_run_id).filter((id) => id !== null && !stoppedIds.has(id))
  await wakeRuns(sql, parents as string[])
  await admitNext(sql, [...new Set(stopped.map(({ team_id }) => team_id))])
  // inside the transaction: it is sent exactly when the stop counts
  await sql`select pg_notify(${stopChannel}, ${[...stoppedIds].slice(0, 200).join(',')})`
  return stopped
}

/**
 * Locks the runs and everything active below them, also below a run that failed while its own sub-run went on. A child is made under its
 * parent's lock, so a statement that begins after the parents are locked finds it. This is repeated until no child is new.
 */
async function withSubRuns(sql: Sql, ids: string[]): Promise<string[]> {
  const found = new Set<string>()
  // the run above wakes in this transaction, when its team's row is locked already: runs come first
  const above = await sql<{ id: string }>`
    select parent_run_id as id from runs where id = any(${ids}::uuid[]) and parent_run_id is not null`
  if (above.length > 0) {
    const first = [...above.map(({ id }) => id), ...ids]
    await sql`select id from runs where id = any(${first}::uuid[]) order by id for update`
  }
  for (let parents = ids; parents.length > 0;) {
    const locked = await sql<{
      id: string
    }>`select id from runs where id = any(${parents}::uuid[]) order by id for update`
    for (const { id } of locked) found.add(id)
    const children = await sql<{ id: string }>`
      with recursive below as (
        select id, status from runs where parent_run_id = any(${parents}::uuid[])
        union all
        select r.id, r.status from below b join runs r on r.parent_run_id = b.id where b.status not in ${activeList}
      )
      select id from below where status in ${activeList}`
    parents = children.map(({ id }) => id).filter((id) => !found.has(id))
  }
  return [...found]
}

async function stop(sql: Sql, ids: string[]): Promise<Stopped[]> {
  const events = ids.map((id) => ({ run_id: id, id: newId() }))
  return sql<Stopped>`
    with was as materialized (
      select id, admitted_at is not null as has_place, queued_at is not null as in_line
      from runs where id = any(${ids}::uuid[]) and ${toStopped.where}
    ),
    r as (
      update runs r set ${toStopped.set},
        event_seq = r.event_seq + 1, event_xid = ${raisedEventXid}
      from was where r.id = was.id and r.id = any(${ids}::uuid[])
      returning r.*, was.has_place, was.in_line
    ),
    step as (
      update run_steps s set state = 'cut_off', completed_at = now(), reserved_usd = 0,
        -- whom nobody waits for any more may still answer
        unsettled = s.unsettled + (s.kind = 'model' and s.state = 'intent')::int
      from r where s.run_id = r.id and s.run_id = any(${ids}::uuid[]) and s.state in ${openStepList}
    ),
    request as (
      update human_requests h set status = 'cancelled', responded_at = now() from r where h.run_id = r.id and h.run_id = any(${ids}::uuid[]) and h.status = 'pending'
    ),
    event as (${insertRunEvents(part`
      select n.id, r.team_id, r.id as run_id, r.agent_id, r.case_id, r.event_seq as sequence, r.event_xid as xid, 'run.completed' as event,
        jsonb_build_object('status', 'stopped', 'output', null,
          'duration_ms', (extract(epoch from r.completed_at - r.started_at) * 1000)::bigint,
          'usage', jsonb_build_object('steps', r.steps, 'input_tokens', r.input_tokens, 'output_tokens', r.output_tokens,
            'cost_usd', trim_scale(r.cost_usd))) as data
      from r join json_to_recordset(${JSON.stringify(events)}::json) as n (run_id uuid, id uuid) on n.run_id = r.id`)}
    ),
    team as materialized (
      select team_id from admission where team_id in (select team_id from r) order by team_id for update
    ),
    released as (
      update admission a set held = greatest(a.held - back.places, 0), in_line = greatest(a.in_line - back.waiting, 0)
      from (
        select team_id, (count(*) filter (where has_place))::int as places, (count(*) filter (where in_line))::int as waiting
        from r group by team_id
      ) back join team on team.team_id = back.team_id
      where a.team_id = back.team_id
    )
    select id, team_id, agent_id, parent_run_id from r`
}
