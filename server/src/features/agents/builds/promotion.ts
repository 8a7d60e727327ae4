// Whether a build may become live. The promotion itself and its preview ask the same questions here, so they cannot disagree.
import type { Sql } from '../../../base/db.ts'
import { Fault } from '../../../base/errors.ts'
import type { Context } from '../../../kit/context.ts'
import type { GateVerdict } from '../../../kit/feature.ts'
import { promotionGateOf } from '../../../kit/registry.ts'
import { hasActiveBuilder } from '../builder/builderRun.ts'
import type { Build } from './build.ts'
import { whyUnusable } from './usableConfig.ts'

interface Asked {
  sql: Sql
  context: Context
  team: { id: string }
  build: Build
}

export const promotionRefusals = ['already_live', 'builder_run_active', 'gate_not_met', 'invalid_request'] as const

interface Refusal {
  code: (typeof promotionRefusals)[number]
  message: string
}

const refusal = (code: Refusal['code'], message = new Fault(code).message): Refusal => ({ code, message })

/**
 * What is wrong with the build itself. Every config was checked when it was saved; since then the server, or an agent that it names, may
 * have changed.
 */
export async function refusalOfBuild({ sql, context, team, build }: Asked): Promise<Refusal | undefined> {
  if (build.status === 'live') return refusal('already_live')
  const unusable = await whyUnusable(build.config, { sql, context, team })
  if (unusable !== undefined) return refusal('invalid_request', unusable)
  return (await hasActiveBuilder(sql, build.id, team.id)) ? refusal('builder_run_active') : undefined
}

const ofGate = ({ sql, team, build }: Asked) => ({
  sql,
  teamId: team.id,
  agentId: build.agent_id,
  buildId: build.id,
})

/** Undefined: the agent has no gate. */
export const judgeAtGate = async (asked: Asked): Promise<GateVerdict | undefined> =>
  promotionGateOf(asked.context)?.judge(ofGate(asked))

export const refusalOfGate = (verdict: GateVerdict | undefined): Refusal | undefined =>
  verdict && !verdict.is_open ? refusal('gate_not_met', verdict.refusal) : undefined

/** In the transaction of the promotion, which a refusal undoes: what the gate says then counts. */
export async function passGate(
  asked: Asked,
  { memberId, forceReason }: { memberId: string; forceReason: string | undefined },
): Promise<Refusal | undefined> {
  const verdict = await judgeAtGate(asked)
  const refused = refusalOfGate(verdict)
  if (!verdict || !refused || forceReason === undefined) return refused
  await promotionGateOf(asked.context)?.bypass({ ...ofGate(asked), verdict, memberId, reason: forceReason })
  return undefined
}
