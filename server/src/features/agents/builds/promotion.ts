// Whether a build may become live. The promotion itself and its preview ask the same questions here, so they cannot disagree.
import type { Sql } from '../../../base/db.ts'
import { Fault } from '../../../base/errors.ts'
import type { Context } from '../../../kit/context.ts'
import type { GateVerdict, ReplayVerdict } from '../../../kit/feature.ts'
import { promotionGateOf, replayGateOf } from '../../../kit/registry.ts'
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

/** What each gate of the agent says; undefined: it has no such gate. */
interface Verdicts {
  score: GateVerdict | undefined
  replay: ReplayVerdict | undefined
}

export const judgeAtGates = async (asked: Asked): Promise<Verdicts> => ({
  score: await promotionGateOf(asked.context)?.judge(ofGate(asked)),
  replay: await replayGateOf(asked.context)?.judge(ofGate(asked)),
})

/** Whoever is refused by both reads what both ask for. */
export function refusalOfGates({ score, replay }: Verdicts): Refusal | undefined {
  const closed = [score, replay].flatMap((verdict) => (verdict && !verdict.is_open ? [verdict.refusal] : []))
  return closed.length > 0 ? refusal('gate_not_met', closed.join(' ')) : undefined
}

/** In the transaction of the promotion, which a refusal undoes: what the gates say then counts. */
export async function passGates(
  asked: Asked,
  { memberId, forceReason: reason }: { memberId: string; forceReason: string | undefined },
): Promise<Refusal | undefined> {
  const { score, replay } = await judgeAtGates(asked)
  const refused = refusalOfGates({ score, replay })
  if (!refused || reason === undefined) return refused
  const forced = { ...ofGate(asked), memberId, reason }
  if (score && !score.is_open) await promotionGateOf(asked.context)?.bypass({ ...forced, verdict: score })
  if (replay && !replay.is_open) await replayGateOf(asked.context)?.bypass({ ...forced, verdict: replay })
  return undefined
}
