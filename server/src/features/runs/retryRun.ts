// Does a run again that has ended: as a new run, from the start or from one of its steps.
import { one } from '../../base/db.ts'
import { isId } from '../../base/ids.ts'
import { addPrice, parseBuildConfig, withoutPrice } from '../../engine/builds/buildConfig.ts'
import { readActsFor } from '../../engine/ledger/actsFor.ts'
import { engineOf } from '../../engine/engine.ts'
import { hasEnded, type Status } from '../../engine/ledger/lifecycle.ts'
import { tightened, unpricedOf } from '../../engine/driving/limits.ts'
import { isPausedFor, pausedSentence } from '../../engine/starting/pauses.ts'
import { copyTurnsBefore, firstStepOf, turnOfCall } from '../../engine/starting/copyTurns.ts'
import { operation } from '../../kit/operation.ts'
import { Id, nullable, Type } from '../../kit/schema.ts'
import { findRun, Run, RunStatus } from './run.ts'
import { runHooks } from '../../kit/registry.ts'

interface Old {
  status: Status
  is_erased: boolean
  is_deleted: boolean
  /** The name of the agent, if it is paused. */
  paused_name: string | null
  paused_reason: string | null
}

export const retryRun = operation({
  id: 'retryRun',
  client: 'runs.retry',
  route: 'POST /v2/runs/:run_id/retry',
  summary: 'Retry a run',
  description:
    'Starts a new run of the same agent with the same message, title, metadata, limits and callback. With `from_step` the new run begins ' +
    'with a copy of all turns before the one that made that call, and with the files as they were then; that turn is made again. Another ' +
    'build can continue from there.',
  scope: 'runs:write',
  body: Type.Object(
    {
      from_step: Type.Optional(
        nullable(
          Type.Integer({
            minimum: 1,
            maximum: 2_147_483_647,
            description: 'The number of a call in the run’s report.',
          }),
        ),
      ),
      build_id: Type.Optional(
        nullable(Type.String({ description: 'Another build of the agent; the same one unless given.' })),
      ),
    },
    { examples: [{}] },
  ),
  status: 201,
  answer: Type.Object({ run: Run, run_id: Id, status: RunStatus }),
  errors: ['invalid_request', 'not_found', 'conflict', 'entitlement_exceeded', 'guardrail_reached', 'agent_paused'],
  async prepare({ team, caller, run, body, context, sql, fail }) {
    if (run.source === 'artifact') {
      fail('conflict', 'This run worked on an artifact. Refresh the artifact: POST /v2/artifacts/{artifactId}/refresh.')
    }
    const buildId = body.build_id ?? run.build_id
    const [build] = isId(buildId)
      ? await sql<{ config: unknown }>`
          select config from builds where id = ${buildId} and team_id = ${team.id} and agent_id = ${run.agent_id}`
      : []
    if (!build) return fail('not_found', 'The agent of this run has no build with this build_id.')
    const config = parseBuildConfig(build.config)
    const engine = engineOf(context)
    if (typeof run.limits.max_cost_usd === 'string') {
      const model = await unpricedOf(engine.models, config, team.id)
      const why = 'A retry keeps the limit max_cost_usd of its run, and'
      if (model !== undefined) {
        fail('invalid_request', `${why} ${withoutPrice(model)}. Start a new run without the limit, or ${addPrice}.`)
      }
    }
    return engine.prepare({
      teamId: team.id,
      agentId: run.agent_id,
      buildId,
      source: 'retry',
      userId: caller.member_id,
      // turns that are copied carry the words of everybody who spoke in them
      actsFor: [
        ...new Set([caller.member_id, ...((body.from_step ?? null) === null ? [] : await readActsFor(sql, run.id))]),
      ],
      message: run.message,
      title: run.title,
      metadata: run.metadata,
      limits: tightened(config.limits, run.limits),
      callbackUrl: run.callback_url,
      sandboxId: null,
      parentRunId: null,
      retryOfRunId: run.id,
      retriedFromStep: body.from_step ?? undefined,
      depth: 0,
      case: null,
      isCapped: config.max_concurrent_runs !== null,
    })
  },
  async handler({ team, run, body, context, sql, prepared: again, fail }) {
    // locked: its log must not change while it is copied, and nobody starts it again at the same time
    const [old] = await sql<Old>`
      select r.status, r.log_erased_at is not null as is_erased, a.deleted_at is not null as is_deleted,
        case when ${isPausedFor} then a.name end as paused_name, a.paused_reason
      from runs r join agents a on a.id = r.agent_id left join builds b on b.id = ${again.buildId} and b.team_id = r.team_id
      where r.id = ${run.id} and r.team_id = ${team.id} for update of r`
    if (!old) return fail('not_found')
    if (!hasEnded(old.status)) fail('conflict', 'The run has not ended. Stop it first, or wait for its end.')
    if (old.is_deleted) fail('conflict', 'The agent of this run is deleted, so it cannot run again.')
    if (old.paused_name !== null) fail('agent_paused', pausedSentence(old.paused_name, old.paused_reason))
    const step = body.from_step ?? undefined
    if (step !== undefined && old.is_erased) {
      fail('conflict', 'The log of this run was erased after its time. Leave from_step out to retry it from the start.')
    }
    const turn = step === undefined ? undefined : await turnOfCall(sql, run.id, step)
    if (step !== undefined && turn === undefined) {
      fail('invalid_request', `from_step: the run made no call with the number ${step}. Its report lists them.`)
    }
    const [created] = await engineOf(context).create(sql, [again])
    if (!created) return fail('conflict', 'The agent of this run was deleted or paused since then.')
    if (turn !== undefined) await copyTurnsBefore(sql, { from: run.id, to: again.id, turn })
    const beforeStep = turn === undefined ? 1 : await firstStepOf(sql, run.id, turn)
    const copied = { sql, context, teamId: team.id, fromRunId: run.id, toRunId: again.id, beforeStep }
    await runHooks('runCopied', copied)
    const row = await one(findRun(sql, again.id, team.id))
    return { run: row, run_id: again.id, status: row.status }
  },
})
