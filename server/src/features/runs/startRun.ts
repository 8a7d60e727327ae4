// Starts a run of an agent.
import type { Sql } from '../../base/db.ts'
import { isId } from '../../base/ids.ts'
import { unpriced, type Limits } from '../../engine/builds/buildConfig.ts'
import { engineOf } from '../../engine/engine.ts'
import { tightened, unpricedOf } from '../../engine/driving/limits.ts'
import { amountPattern, amountText } from '../../engine/ledger/money.ts'
import { titleOf } from '../../engine/starting/title.ts'
import type { Context } from '../../kit/context.ts'
import type { Caller } from '../../kit/credential.ts'
import { keyTaken, operation } from '../../kit/operation.ts'
import { Id, nullable, Type, url } from '../../kit/schema.ts'
import { spelled } from '../../kit/spellings.ts'
import { newRunAnswer, Run, RunStatus } from './run.ts'
import { registryOf } from '../../kit/registry.ts'

const metadataBytesMax = 16 * 1024

const RunMessage = Type.Union([Type.String({ maxLength: 1_000_000 }), Type.Record(Type.String(), Type.Unknown())], {
  description: 'The trigger’s payload: text or an object.',
  examples: ['Check invoice 4711'],
})

export const startRun = operation({
  id: 'startRun',
  client: 'runs.start',
  route: 'POST /v2/teams/:teamId/runs',
  summary: 'Start a run',
  description:
    'Answers as soon as the run is stored; from then on it reaches an end or waits for something that is named, whatever crashes.',
  scope: 'runs:write',
  body: Type.Object(
    {
      agent_id: Type.String({ description: 'The agent to run.' }),
      message: Type.Optional(nullable(RunMessage)),
      build_id: Type.Optional(
        nullable(Type.String({ description: 'One of the agent’s builds; the live one unless given.' })),
      ),
      title: Type.Optional(nullable(Type.String({ maxLength: 300, examples: ['Invoice 4711'] }))),
      limits: Type.Optional(
        nullable(
          Type.Object(
            {
              max_steps: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
              max_duration_s: Type.Optional(Type.Number({ minimum: 1, maximum: 31_536_000 })),
              max_cost_usd: Type.Optional(
                Type.Union([Type.Number({ minimum: 0 }), Type.String({ pattern: amountPattern })]),
              ),
              max_tokens: Type.Optional(Type.Integer({ minimum: 1 })),
            },
            { description: 'May only tighten what the build allows.', additionalProperties: true },
          ),
        ),
      ),
      metadata: Type.Optional(
        nullable(
          Type.Record(Type.String(), Type.Unknown(), {
            description: 'Your own data, stored unchanged, at most 16 KiB.',
          }),
        ),
      ),
      callback_url: spelled(Type.Optional(nullable(url('Gets this run’s events, signed like webhooks.'))), {
        names: ['webhook_url'],
      }),
      sandbox_id: Type.Optional(nullable(Type.String({ description: 'A sandbox that becomes the run’s workspace.' }))),
    },
    {
      examples: [
        { agent_id: '01981c5e-7a40-7c8e-9d7a-4f5b6c7d8e9f', message: 'Check invoice 4711', title: 'Invoice 4711' },
      ],
    },
  ),
  status: 201,
  answer: Type.Object({ run: Run, run_id: Id, status: RunStatus }),
  errors: ['not_found', 'invalid_request', 'sandbox_busy', 'entitlement_exceeded', 'guardrail_reached', 'agent_paused'],
  async prepare({ caller, body, context, sql, fail }) {
    const callbackUrl = body.callback_url ?? null
    if (callbackUrl !== null) await context.guard.checkOnSave(callbackUrl)
    if (body.metadata && Buffer.byteLength(JSON.stringify(body.metadata)) > metadataBytesMax) {
      fail('invalid_request', 'metadata is larger than 16 KiB. Keep large things elsewhere and put a reference here.')
    }
    const sandboxId = body.sandbox_id ?? null
    if (sandboxId !== null && !(await isNamed(context, sql, 'sandbox', sandboxId, caller))) {
      fail('not_found', 'This team has no sandbox with this sandbox_id.')
    }
    return { callbackUrl, sandboxId }
  },
  async lane({ team, caller, via, body, sql, context, prepared, stored, stillAllowed, fail }) {
    const engine = engineOf(context)
    // the statement itself checks the cached agent; if it has changed, the start is tried again with what is true now
    for (const fresh of [false, true]) {
      const target = await engine.startTargets.find(sql, team.id, body.agent_id, body.build_id ?? null, fresh)
      if (!target) continue
      if (target.paused !== null) return fail('agent_paused', target.paused)
      if (body.limits?.max_cost_usd !== undefined) {
        const model = await unpricedOf(engine.models, target.config, team.id)
        // another build may be live since the cached one was read
        if (model !== undefined && !fresh) continue
        if (model !== undefined) return fail('invalid_request', `limits.max_cost_usd: ${unpriced(model)}.`)
      }
      const run = await engine.prepare({
        teamId: team.id,
        agentId: target.agentId,
        buildId: target.buildId,
        source: via,
        userId: caller.member_id,
        actsFor: [caller.member_id],
        message: body.message ?? null,
        title: body.title ?? titleOf(body.message, target.agentName),
        metadata: body.metadata ?? {},
        limits: tightened(target.config.limits, wantedLimits(body.limits ?? {})),
        ...prepared,
        parentRunId: null,
        retryOfRunId: null,
        depth: 0,
        case: null,
        isCapped: target.config.max_concurrent_runs !== null,
        seen: target.seen,
      })
      const answer = { run: newRunAnswer(run, target.agentName), run_id: run.id, status: 'pending' as const }
      await stillAllowed()
      const outcome = await engine.start({ run, stored: stored(answer) })
      if (outcome === 'key_taken') return keyTaken
      if (outcome === 'started') return answer
      if (outcome !== 'gone') return fail(outcome.code, outcome.refused)
    }
    return fail('not_found', 'This team has no runnable agent or build with this id.')
  },
})

/** Whether an id in a body names one of the team's, as it would in a path. */
async function isNamed(context: Context, sql: Sql, resource: string, id: string, caller: Caller): Promise<boolean> {
  return (
    isId(id) && (await registryOf(context).resources.get(resource)!.find(sql, id, caller.team_id, caller)).length > 0
  )
}

type Wanted = Partial<Omit<Limits, 'max_cost_usd'>> & { max_cost_usd?: number | string }

const wantedLimits = ({ max_cost_usd, ...limits }: Wanted): Partial<Limits> => ({
  ...limits,
  ...(max_cost_usd !== undefined && { max_cost_usd: amountText(max_cost_usd) }),
})
