// Reads everything about one run of an agent.
import { part } from '../../base/db.ts'
import { requestList, type HumanRequest as Row, requestById } from '../../engine/requests/humanRequests.ts'
import { HumanRequest } from '../../kit/event.ts'
import { operation } from '../../kit/operation.ts'
import { readLongRows } from '../../kit/paging.ts'
import { Id, nullable, Type } from '../../kit/schema.ts'
import { Run, RunStatus } from './run.ts'
import {
  AgentOfRun,
  buildOf,
  BuildOfRun,
  Callback,
  callbackOf,
  filesOf,
  screenshotsOf,
  SubRun,
  subRunsOf,
} from './runDetail.ts'

/** How many requests and sub-runs the answer shows; the lists have all of them. */
const listedMax = 200

const Total = Type.Integer({ minimum: 0 })

export const getAgentRun = operation({
  id: 'getAgentRun',
  client: 'runs.getAgentRun',
  route: 'GET /v2/agent/:agentId/runs/:runId',
  summary: 'Get a run with everything around it',
  description: `Like getRun, with agent, build, totals, and the first ${listedMax} of its human requests and of the runs it started.`,
  scope: 'runs:read',
  status: 200,
  answer: Type.Object({
    run: Run,
    run_id: Id,
    status: RunStatus,
    pending_human_request: nullable(HumanRequest),
    agent: AgentOfRun,
    build: BuildOfRun,
    messages_total: Total,
    files_total: Total,
    screenshots_total: Total,
    human_requests: Type.Array(HumanRequest),
    sub_runs: Type.Array(SubRun),
    callback: nullable(Callback),
  }),
  async handler({ team, agent, run, sql }) {
    const [build, files_total, screenshots_total, sub_runs, human_requests, counted] = await Promise.all([
      buildOf(sql, run),
      filesOf(sql, run),
      screenshotsOf(sql, run),
      subRunsOf(sql, run, listedMax),
      readLongRows<Row>(
        sql,
        {
          ...requestList,
          where: part`run_id = ${run.id} and team_id = ${team.id}`,
          order: part`human_requests.created_at, human_requests.id`,
        },
        part`limit ${listedMax}`,
      ),
      sql<{ messages: number }>`select message_seq as messages from runs where id = ${run.id} and team_id = ${team.id}`,
    ])
    const pending = human_requests.find(({ status }) => status === 'pending')
    // a person decides about this request, so it is always whole
    const [whole] = pending?.truncated ? await requestById(sql, pending.id, team.id) : [pending]
    return {
      run,
      run_id: run.id,
      status: run.status,
      pending_human_request: whole ?? null,
      agent,
      build,
      messages_total: counted[0]?.messages ?? 0,
      files_total,
      screenshots_total,
      human_requests,
      sub_runs,
      callback: callbackOf(run.callback_url),
    }
  },
})
