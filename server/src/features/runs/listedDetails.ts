// What a list of runs shows beside each run: its build, the step under way, whom it asks, which slots it waits for, who stopped it.
import { part, type Sql } from '../../base/db.ts'
import { openStepList } from '../../engine/ledger/lifecycle.ts'
import { isVisibleTo } from '../../engine/ledger/visibleRuns.ts'
import type { Caller } from '../../kit/credential.ts'
import { Id, named, nullable, oneOf, Time, Type, type Static } from '../../kit/schema.ts'
import { requestTypes, stepKinds } from '../../kit/states.ts'
import { LinePlaces, StoppedBy } from './runFacts.ts'

export const ListedDetails = named(
  'ListedRunDetails',
  Type.Object({
    run_id: Id,
    build_number: Type.Integer({ description: 'The `revision_number` of its build.' }),
    step: nullable(
      Type.Object(
        { seq: Type.Integer(), kind: oneOf(stepKinds), name: nullable(Type.String()), started_at: Time },
        { description: 'The step that a running run is at; null between two steps.' },
      ),
    ),
    human_request: nullable(
      Type.Object(
        { id: Id, type: oneOf(requestTypes), title: Type.String(), expires_at: nullable(Time) },
        { description: 'What a person is asked, where it waits for one.' },
      ),
    ),
    line: nullable(LinePlaces),
    stopped_by: nullable(StoppedBy),
  }),
)
type ListedDetails = Static<typeof ListedDetails>

interface Found extends Pick<ListedDetails, 'run_id' | 'build_number'> {
  step_seq: number | null
  step_kind: (typeof stepKinds)[number]
  step_name: string | null
  step_started_at: Date
  request_id: string | null
  request_type: (typeof requestTypes)[number]
  request_title: string
  request_expires_at: Date | null
  is_in_line: boolean
  places_held: number
  places_total: number
  agent_places_held: number
  agent_places_total: number | null
  stop_reason: Static<typeof StoppedBy>['reason'] | null
  stopper: string | null
}

/**
 * One statement for all of them; each look-up is made only for runs whose status has it. A stop and its cause are written in one
 * transaction, so both have the same time.
 */
export async function readDetails(
  sql: Sql,
  { team_id, member_id }: Pick<Caller, 'team_id' | 'member_id'>,
  ids: string[],
): Promise<ListedDetails[]> {
  const rows = await sql<Found>`
    select r.id as run_id, b.revision_number as build_number,
      step.seq as step_seq, step.kind as step_kind, step.tool as step_name, step.started_at as step_started_at,
      asked.id as request_id, asked.type as request_type, asked.title as request_title, asked.expires_at as request_expires_at,
      r.queued_at is not null as is_in_line, coalesce(p.held, 0) as places_held, coalesce(p.places, 0) as places_total,
      coalesce(busy.runs, 0) as agent_places_held, (b.config #>> '{data,limits,max_concurrent_runs}')::int as agent_places_total,
      stop.reason as stop_reason, stop.name as stopper
    from runs r join builds b on b.id = r.build_id
    left join admission p on p.team_id = r.team_id and r.queued_at is not null
    left join lateral (
      select count(*)::int as runs from runs o
      where o.team_id = r.team_id and o.agent_id = r.agent_id and o.admitted_at is not null and r.queued_at is not null) busy on true
    left join lateral (
      select s.seq, s.kind, s.tool, s.started_at from run_steps s
      where s.run_id = r.id and r.status = 'running' and s.state in ${openStepList} order by s.seq desc limit 1) step on true
    left join lateral (
      select h.id, h.type, h.title, h.expires_at from human_requests h
      where h.run_id = r.id and h.team_id = r.team_id and r.status = 'waiting' and h.status = 'pending' order by h.id limit 1) asked on true
    left join lateral (
      select case when l.id is not null then 'member' when o.id is not null then 'parent_run' when a.id is not null then 'agent_deleted' end as reason,
        m.name
      from (values (1)) as one
      left join audit_log l on l.team_id = r.team_id and l.operation = 'stopRun' and l.created_at = r.completed_at and l.target_id = r.id::text
      left join members m on m.id = l.member_id and m.team_id = l.team_id
      left join runs o on o.id = r.parent_run_id and o.team_id = r.team_id and o.completed_at = r.completed_at
      left join agents a on a.id = r.agent_id and a.team_id = r.team_id and a.deleted_at = r.completed_at
      where r.status = 'stopped' limit 1) stop on true
    where r.id = any(${ids}::uuid[]) and r.team_id = ${team_id} and ${isVisibleTo(member_id, part`r`)}
    order by r.id desc`
  return rows.map(detailsOf)
}

function detailsOf(row: Found): ListedDetails {
  const { places_held, places_total, agent_places_held, agent_places_total } = row
  return {
    run_id: row.run_id,
    build_number: row.build_number,
    step:
      row.step_seq === null
        ? null
        : { seq: row.step_seq, kind: row.step_kind, name: row.step_name, started_at: row.step_started_at },
    human_request:
      row.request_id === null
        ? null
        : {
            id: row.request_id,
            type: row.request_type,
            title: row.request_title,
            expires_at: row.request_expires_at,
          },
    line: row.is_in_line ? { places_held, places_total, agent_places_held, agent_places_total } : null,
    stopped_by: row.stop_reason === null ? null : { reason: row.stop_reason, name: row.stopper },
  }
}
