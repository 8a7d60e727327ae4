// Turns of a live model in a replay: paid for, so each is stored before it is used, and its worst cost is set aside before it is asked for.
import type { Sql } from '../../../base/db.ts'
import { storable, storableJson } from '../../../base/storable.ts'
import {
  ContextExceeded,
  ModelRefused,
  ModelTrouble,
  type Conversation,
  type ReadFiles,
  type TokenUsage,
  type Turn,
} from '../../../drivers/model/model.ts'
import { noteModelUse } from '../../../engine/counting/usage.ts'
import { engineOf } from '../../../engine/engine.ts'
import type { Context } from '../../../kit/context.ts'
import { LeaseLost } from '../../../kit/lease.ts'
import { countInDoubt } from './callsInDoubt.ts'
import { renew, type HeldReplayRun, type ReplayTimes } from './heldReplayRun.ts'

/** The run cannot be replayed, and the message says why. */
export class NotReplayable extends Error {}

/** It cannot continue now: other calls of the replay hold what is left of its money, or no model answers. */
export class Later extends Error {
  readonly isTrouble: boolean
  readonly retryAfterMs: number | undefined
  constructor(message: string, { isTrouble, retryAfterMs }: { isTrouble: boolean; retryAfterMs?: number | undefined }) {
    super(message)
    this.isTrouble = isTrouble
    this.retryAfterMs = retryAfterMs
  }
}

interface LiveTurn {
  turn: Turn
  model: string
  ms: number
  cost_usd: string
}

interface Asking {
  /** Which turn of the run it is, from 1. */
  seq: number
  /** The models that may answer, in their order. */
  names: readonly string[]
  /** What this model is asked, and about how long that is. */
  open: (name: string) => { conversation: Conversation; bytes: number }
  readFiles: ReadFiles
  /** Why a call that may cost this much is not made; undefined: it may be. */
  refusal: (worst: string) => string | undefined
}

export interface LiveTurns {
  next(asking: Asking): Promise<LiveTurn | { refused: { code: string; message: string } }>
}

interface Parts {
  context: Context
  held: HeldReplayRun
  agentId: string
  times: ReplayTimes
  signal: AbortSignal
}

interface StoredTurn {
  seq: number
  model: string
  turn: LiveTurn
}

/** Continues with the turns that a process before has paid for. */
export async function liveTurns(parts: Parts): Promise<LiveTurns> {
  const { context, held } = parts
  if (held.reserved_model !== null) await settleInDoubt(parts)
  const stored = await context.db.sql<StoredTurn>`
    select seq, model, turn from replay_turns where replay_run_id = ${held.id} order by seq`
  const known = new Map(stored.map((one) => [one.seq, one.turn]))
  return { next: async (asking) => known.get(asking.seq) ?? ask(parts, asking) }
}

async function ask(parts: Parts, asking: Asking): ReturnType<LiveTurns['next']> {
  let last: { code: string; message: string } | ModelTrouble | undefined
  for (const name of asking.names) {
    const asked = await askOne(parts, asking, name)
    if ('turn' in asked) return asked
    last = asked.trouble
    // another model may answer where the key, the policy or the provider is in the way
    if (!(last instanceof ModelTrouble) && last.code !== 'model_auth' && last.code !== 'model_refused') break
  }
  if (last instanceof ModelTrouble) {
    throw new Later(last.message, { isTrouble: true, retryAfterMs: last.retryAfterMs })
  }
  return { refused: last ?? { code: 'model_required', message: 'The build names no model that could be asked.' } }
}

type OneAsked = LiveTurn | { trouble: ModelTrouble | { code: string; message: string } }

async function askOne(parts: Parts, asking: Asking, name: string): Promise<OneAsked> {
  const { context, times, signal } = parts
  const { models } = engineOf(context)
  const { conversation, bytes } = asking.open(name)
  const worst = models.worstCost(name, bytes)
  const refusal = asking.refusal(worst)
  if (refusal !== undefined) return { trouble: { code: 'limit_reached', message: refusal } }
  await reserve(parts, name, worst)
  const tooLong = AbortSignal.timeout(times.answerMs)
  const startedAt = performance.now()
  try {
    const turn = await conversation.next({
      signal: AbortSignal.any([signal, tooLong]),
      onText: () => undefined,
      readFiles: asking.readFiles,
    })
    const cost_usd = models.costOf(name, turn.usage)
    const live: LiveTurn = {
      turn: storable(turn),
      model: name,
      ms: Math.round(performance.now() - startedAt),
      cost_usd,
    }
    await settle(parts, asking.seq, live, worst)
    return live
  } catch (error) {
    // whoever claims it next finds what was set aside, and says that it is in doubt
    if (error instanceof LeaseLost || signal.aborted) throw error
    if (error instanceof ContextExceeded) {
      await release(parts, worst, error.usage && { name, usage: error.usage })
      throw new NotReplayable(
        'The conversation became longer than what the model can hold. A run would fold it there, which a replay does not.',
      )
    }
    if (error instanceof ModelRefused) {
      await release(parts, worst, undefined)
      return { trouble: { code: error.code, message: error.message } }
    }
    const trouble = tooLong.aborted
      ? new ModelTrouble(`The model gave no answer within ${times.answerMs / 1000} seconds.`, { cause: error })
      : error
    if (!(trouble instanceof ModelTrouble)) throw error
    if (trouble.mayBeServed) await settleInDoubt(parts)
    else await release(parts, worst, trouble.usage && { name, usage: trouble.usage })
    return { trouble }
  }
}

/** Throws Later if it would fit without the calls under way, and NotReplayable if it would not. */
async function reserve({ context, held, times }: Parts, name: string, worst: string): Promise<void> {
  const { replay_id, team_id, id, claim } = held
  await context.db.transaction(async (sql) => {
    const fits = await sql`
      update replays set reserved_usd = reserved_usd + ${worst}::numeric
      where id = ${replay_id} and team_id = ${team_id} and state = 'running'
        and (max_cost_usd is null or cost_usd + unsettled_usd + reserved_usd + ${worst}::numeric <= max_cost_usd) returning id`
    if (fits.length === 0) await whyNot(sql, held, worst)
    const ours = await sql`
      update replay_runs set reserved_usd = ${worst}::numeric, reserved_model = ${name}
      where id = ${id} and team_id = ${team_id} and claim = ${claim} and state = 'pending' returning id`
    if (ours.length === 0 || !(await renew(sql, held, times))) throw new LeaseLost()
  })
}

async function whyNot(sql: Sql, { replay_id, team_id }: HeldReplayRun, worst: string): Promise<never> {
  const [replay] = await sql<{ state: string; max: string; is_full: boolean }>`
    select state, trim_scale(max_cost_usd)::text as max, cost_usd + unsettled_usd + ${worst}::numeric > max_cost_usd as is_full
    from replays where id = ${replay_id} and team_id = ${team_id}`
  if (replay?.state !== 'running') throw new LeaseLost()
  if (!replay.is_full)
    throw new Later('Other calls of this replay hold what is left of its max_cost_usd.', { isTrouble: false })
  throw new NotReplayable(
    `The next model call could cost more than is left of max_cost_usd (${replay.max}) of the replay.`,
  )
}

/** Locked before its runs are written, as everywhere. */
const lockReplay = (sql: Sql, { replay_id, team_id }: HeldReplayRun) =>
  sql`select id from replays where id = ${replay_id} and team_id = ${team_id} for no key update`

/** A call is counted once. Whoever took the run from this process, or ended its replay, has counted this one as unsettled, or is about to. */
async function settle({ context, held, agentId }: Parts, seq: number, live: LiveTurn, worst: string): Promise<void> {
  const { replay_id, team_id, id, claim } = held
  const { turn, model, ms, cost_usd } = live
  const { input_tokens, output_tokens } = turn.usage
  await context.db.transaction(async (sql) => {
    await lockReplay(sql, held)
    const ours = await sql`
      update replay_runs set reserved_usd = 0, reserved_model = null, troubles = 0, cost_usd = cost_usd + ${cost_usd}::numeric,
        input_tokens = input_tokens + ${input_tokens}::bigint, output_tokens = output_tokens + ${output_tokens}::bigint,
        model_ms = model_ms + ${ms}::bigint
      where id = ${id} and team_id = ${team_id} and claim = ${claim} and state = 'pending' returning id`
    if (ours.length === 0) throw new LeaseLost()
    await sql`
      insert into replay_turns (replay_run_id, seq, model, turn) values (${id}, ${seq}, ${model}, ${storableJson(live)}::jsonb)`
    await sql`
      update replays set reserved_usd = reserved_usd - ${worst}::numeric, cost_usd = cost_usd + ${cost_usd}::numeric,
        input_tokens = input_tokens + ${input_tokens}::bigint, output_tokens = output_tokens + ${output_tokens}::bigint,
        model_ms = model_ms + ${ms}::bigint
      where id = ${replay_id} and team_id = ${team_id}`
    await noteModelUse(sql, { team_id, agent_id: agentId, model, purpose: 'replay', usage: turn.usage, cost_usd })
  })
}

/** The call was sent, and nobody knows whether it was answered and charged for: it counts at its worst, and is reported as unsettled. */
async function settleInDoubt({ context, held }: Parts): Promise<void> {
  const { replay_id, team_id, id, claim } = held
  await context.db.transaction(async (sql) => {
    await lockReplay(sql, held)
    const ours = await sql`
      select id from replay_runs where id = ${id} and team_id = ${team_id} and claim = ${claim} and state = 'pending' for no key update`
    if (ours.length === 0) throw new LeaseLost()
    await countInDoubt(sql, { replay_id, team_id, run_id: id })
  })
}

/** The call was not served, or used what its provider says. */
async function release(
  { context, held, agentId }: Parts,
  worst: string,
  used: { name: string; usage: TokenUsage } | undefined,
): Promise<void> {
  const { replay_id, team_id, id, claim } = held
  const cost_usd = used ? engineOf(context).models.costOf(used.name, used.usage) : '0'
  const { input_tokens, output_tokens } = used?.usage ?? { input_tokens: 0, output_tokens: 0 }
  await context.db.transaction(async (sql) => {
    await lockReplay(sql, held)
    const ours = await sql`
      update replay_runs set reserved_usd = 0, reserved_model = null, cost_usd = cost_usd + ${cost_usd}::numeric,
        input_tokens = input_tokens + ${input_tokens}::bigint, output_tokens = output_tokens + ${output_tokens}::bigint
      where id = ${id} and team_id = ${team_id} and claim = ${claim} and state = 'pending' returning id`
    if (ours.length === 0) throw new LeaseLost()
    await sql`
      update replays set reserved_usd = reserved_usd - ${worst}::numeric, cost_usd = cost_usd + ${cost_usd}::numeric,
        input_tokens = input_tokens + ${input_tokens}::bigint, output_tokens = output_tokens + ${output_tokens}::bigint
      where id = ${replay_id} and team_id = ${team_id}`
    if (!used) return
    const { name: model, usage } = used
    await noteModelUse(sql, { team_id, agent_id: agentId, model, purpose: 'replay', usage, cost_usd })
  })
}
