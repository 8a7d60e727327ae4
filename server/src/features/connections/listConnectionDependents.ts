// Lists what stops working when a connection does: agents, their schedules, triggers, cases and runs.
import { operation } from '../../kit/operation.ts'
import { Id, nullable, Time, Type } from '../../kit/schema.ts'
import { one, part, wordList } from '../../base/db.ts'
import { endedCaseStatuses } from '../../kit/states.ts'
import { isVisibleTo } from '../../engine/ledger/visibleRuns.ts'
import { begunList } from '../../engine/ledger/lifecycle.ts'

const shownMax = 100
const endedCases = wordList(endedCaseStatuses)

const Dependents = Type.Object(
  {
    agents: Type.Array(Type.Object({ id: Id, name: Type.String(), build_id: Id }), {
      description: 'Agents whose live build names it.',
    }),
    agents_total: Type.Integer({ minimum: 0 }),
    schedules: Type.Array(
      Type.Object({ id: Id, agent_id: Id, frequency: Type.String(), next_run_at: nullable(Time) }),
      {
        description: 'Their enabled schedules, the next first.',
      },
    ),
    schedules_total: Type.Integer({ minimum: 0 }),
    cases: Type.Array(Type.Object({ id: Id, queue_id: Id, title: Type.String(), run_id: Id }), {
      description: 'Cases that a waiting run holds.',
    }),
    cases_total: Type.Integer({
      minimum: 0,
      description: 'These, and all open cases of the queues that these agents work on.',
    }),
    waiting_runs: Type.Array(Type.Object({ id: Id, agent_id: Id, title: Type.String(), since: Time }), {
      description: 'Runs that wait for it, the longest first.',
    }),
    waiting_runs_total: Type.Integer({ minimum: 0 }),
    artifacts: Type.Array(Type.Object({ id: Id, title: nullable(Type.String()) }), {
      description: 'Artifacts that it is attached to. Private ones of others are only counted.',
    }),
    artifacts_total: Type.Integer({ minimum: 0 }),
    triggers: Type.Array(Type.Object({ id: Id, agent_id: Id, name: nullable(Type.String()), tool: Type.String() }), {
      description: 'Enabled triggers that poll a tool of it.',
    }),
    triggers_total: Type.Integer({ minimum: 0 }),
  },
  { additionalProperties: false },
)

export const listConnectionDependents = operation({
  id: 'listConnectionDependents',
  client: 'connections.listDependents',
  route: 'GET /v2/connections/:connection_id/dependents',
  summary: 'List what depends on a connection',
  description: `At most ${shownMax} of each are listed; the totals count all.`,
  scope: 'connections:read',
  status: 200,
  answer: Dependents,
  async handler({ team, caller, connection: { id }, sql }) {
    const agents = part`
      select a.id, a.name, b.id as build_id from agents a join builds b on b.agent_id = a.id and b.status = 'live' and b.team_id = ${team.id}
      where a.team_id = ${team.id} and a.deleted_at is null and b.config #> '{data,connections}' ? ${id}`
    const runs = part`
      select r.id, r.agent_id, r.title, r.case_id, w.created_at as since from connection_waits w join runs r on r.id = w.run_id
      where w.connection_id = ${id} and not w.is_over and r.team_id = ${team.id} and r.status in ${begunList}
        and ${isVisibleTo(caller.member_id, part`r`)}`
    const found = await one(sql<{ dependents: DependentsRow }>`
      with agents_of as materialized (${agents}), runs_of as materialized (${runs}),
      schedules_of as materialized (
        select s.id, s.agent_id, s.frequency, s.next_run_at from schedules s join agents_of a on a.id = s.agent_id
        where s.team_id = ${team.id} and s.enabled),
      held as materialized (
        select c.id, c.queue_id, c.title, r.id as run_id, r.since from runs_of r join cases c on c.id = r.case_id and c.team_id = ${team.id}
        where c.claimed_by_run_id = r.id),
      queues_of as (
        select distinct t.queue_id from case_triggers t join agents_of a on a.id = t.agent_id
        where t.team_id = ${team.id} and t.enabled)
      select json_build_object(
        'artifacts', (select coalesce(json_agg(json_build_object('id', x.id, 'title', x.title)), '[]') from (
          select a.id, a.title from artifact_connections ac join artifacts a on a.id = ac.artifact_id
          where ac.connection_id = ${id} and a.team_id = ${team.id} and (a.created_by_user_id = ${caller.member_id} or a.visibility <> 'private')
          order by a.title, a.id limit ${shownMax}) x),
        'artifacts_total', (select count(*) from artifact_connections ac join artifacts a on a.id = ac.artifact_id
          where ac.connection_id = ${id} and a.team_id = ${team.id}),
        'triggers', (select coalesce(json_agg(x), '[]') from (
          select t.id, t.agent_id, t.name, t.tool from triggers t where t.connection_id = ${id} and t.team_id = ${team.id} and t.enabled
          order by t.id limit ${shownMax}) x),
        'triggers_total', (select count(*) from triggers t where t.connection_id = ${id} and t.team_id = ${team.id} and t.enabled),
        'agents', (select coalesce(json_agg(x), '[]') from (select * from agents_of order by name, id limit ${shownMax}) x),
        'agents_total', (select count(*) from agents_of),
        'schedules', (select coalesce(json_agg(x), '[]') from (select * from schedules_of order by next_run_at, id limit ${shownMax}) x),
        'schedules_total', (select count(*) from schedules_of),
        'cases', (select coalesce(json_agg(json_build_object('id', x.id, 'queue_id', x.queue_id, 'title', x.title, 'run_id', x.run_id)), '[]')
          from (select * from held order by since, id limit ${shownMax}) x),
        'cases_total', (select count(*) from held where queue_id not in (select queue_id from queues_of)) + (
          select coalesce(sum(n.cases), 0) from case_counts n join queues_of q on q.queue_id = n.queue_id
          where n.display_status not in ${endedCases}),
        'waiting_runs', (select coalesce(json_agg(json_build_object('id', x.id, 'agent_id', x.agent_id, 'title', x.title, 'since', x.since)), '[]')
          from (select * from runs_of order by since, id limit ${shownMax}) x),
        'waiting_runs_total', (select count(*) from runs_of)) as dependents`)
    const { schedules, waiting_runs, ...rest } = found.dependents
    return {
      ...rest,
      schedules: schedules.map((row) => ({
        ...row,
        next_run_at: row.next_run_at === null ? null : new Date(row.next_run_at),
      })),
      waiting_runs: waiting_runs.map((row) => ({ ...row, since: new Date(row.since) })),
    }
  },
})

interface DependentsRow {
  agents: { id: string; name: string; build_id: string }[]
  agents_total: number
  schedules: { id: string; agent_id: string; frequency: string; next_run_at: string | null }[]
  schedules_total: number
  cases: { id: string; queue_id: string; title: string; run_id: string }[]
  cases_total: number
  waiting_runs: { id: string; agent_id: string; title: string; since: string }[]
  waiting_runs_total: number
  artifacts: { id: string; title: string | null }[]
  artifacts_total: number
  triggers: { id: string; agent_id: string; name: string | null; tool: string }[]
  triggers_total: number
}
