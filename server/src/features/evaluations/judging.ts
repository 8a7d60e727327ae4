// The lane of the judge: a few evaluations at a time, each held by a lease, tried again after trouble, and ended in every case.
import { untilWritten } from '../../base/db.ts'
import { ModelRefused, ModelTrouble } from '../../drivers/model/model.ts'
import type { SuspectProcesses } from '../../kit/suspectProcesses.ts'
import { LeaseLost, whileLeased } from '../../kit/lease.ts'
import type { Context } from '../../kit/context.ts'
import { deathsBeforeGivenUp, givenUpDeaths, mustBeAlone } from '../../kit/deaths.ts'
import type { DriveSuspect } from '../../kit/feature.ts'
import { askJudge, NoAnswer, type JudgeReply } from './askJudge.ts'
import { summaryOf, type Result } from './evaluation.ts'
import {
  giveBack,
  noteSuspectDeath,
  putOff,
  renew,
  takeSuspect,
  usualTimes,
  type HeldJudgement,
  type JudgeTimes,
} from './heldJudgement.ts'
import { judgeOf, notJudged } from './judgeModel.ts'
import { endWithout, writeEvaluations } from './writeEvaluations.ts'

/** How often the judge is asked without an answer: about three minutes with the pauses. */
const attemptsMax = 5
const pauseMaxMs = 30 * 60_000

/** Ends when the evaluation is finished, postponed, or given back because this process stops. */
export async function judge(
  context: Context,
  held: HeldJudgement,
  times: JudgeTimes,
  stopping: AbortSignal,
): Promise<void> {
  await whileHeld(context, held, times, async (lost) => {
    try {
      await decide(context, held, times, AbortSignal.any([stopping, lost]))
    } catch (error) {
      if (error instanceof LeaseLost) return
      if (stopping.aborted) await giveBack(context.db.sql, held)
      else await afterTrouble(context, held, error)
    }
  })
}

function whileHeld(
  { db, log }: Context,
  held: HeldJudgement,
  times: JudgeTimes,
  work: (lost: AbortSignal) => Promise<void>,
): Promise<void> {
  const lease = { name: 'the lease of a judgement', log, everyMs: times.leaseMs / 3 }
  return whileLeased({ ...lease, renew: () => renew(db.sql, held, times) }, work)
}

/** The kind of these units among the work of processes for suspects. */
export const judgementKind = 'judgement'

/** How long a judgement that found no seat waits for the next poll. */
const noSeatMs = 1000

/** This process holds the judgement until the other process has taken it, and records how that process ended. */
export async function judgeElsewhere(
  context: Context,
  suspectProcesses: SuspectProcesses,
  held: HeldJudgement,
): Promise<void> {
  const { sql } = context.db
  const seat = suspectProcesses.reserve({ kind: judgementKind, teamId: held.team_id, mustBeAlone: mustBeAlone(held) })
  if (!seat) return putOff(sql, held, noSeatMs, 1)
  await whileHeld(context, held, usualTimes, async () => {
    const ending = await seat.drive({ kind: judgementKind, id: held.evaluation_id, epoch: held.attempts })
    if (ending.how === 'untouched') await giveBack(sql, held)
    if (ending.how === 'died') await untilWritten(() => noteSuspectDeath(sql, held, ending.isSure))
  })
}

export const judgeAsSuspect: DriveSuspect = async ({ context, unit, process, took, signal }) => {
  const held = await takeSuspect(context.db.sql, process.id, unit, usualTimes)
  if (!held) return false
  await took()
  await judge(context, held, usualTimes, signal)
  return true
}

async function decide(context: Context, held: HeldJudgement, times: JudgeTimes, signal: AbortSignal): Promise<void> {
  const model = await judgeOf(context, held.team_id)
  const custom = held.results.filter(({ flag }) => flag.startsWith('custom__')).length
  // the server had a model when the run was evaluated, and has none any more
  if (model === undefined) return finish(context, held, { status: 'ready', results: [], remark: notJudged(custom) })
  if (held.deaths >= givenUpDeaths) {
    return giveUp(
      context,
      held,
      `At least ${deathsBeforeGivenUp} processes of the service died while they judged this run.`,
    )
  }
  if (held.attempts > attemptsMax) return giveUp(context, held, `The judge was cut off ${attemptsMax} times.`)
  const asked: JudgeReply = await askJudge(context, held, { model, times, signal })
  await finish(context, held, { status: 'ready', results: asked.results })
}

const giveUp = (context: Context, held: HeldJudgement, reason: string): Promise<void> =>
  finish(context, held, {
    status: 'unavailable',
    results: [],
    remark: `The custom rubrics were not judged. ${reason} Ask for a new evaluation when that is fixed.`,
  })

interface Outcome {
  status: 'ready' | 'unavailable'
  /** The results of the rubrics that were judged; the others stay as they are. */
  results: Result[]
  remark?: string
}

function finish({ db }: Context, held: HeldJudgement, { status, results, remark }: Outcome): Promise<void> {
  const judged = new Map(results.map((result) => [result.flag, result]))
  const all = held.results.map((result) => judged.get(result.flag) ?? result)
  return db.transaction(async (sql) => {
    // the run first, as everywhere; this waits for nothing while it holds something
    const runs =
      await sql`select id from runs where id = ${held.run_id} and team_id = ${held.team_id} for no key update`
    const ours = await sql`
      delete from judgements where evaluation_id = ${held.evaluation_id} and team_id = ${held.team_id} and claim = ${held.claim}
      returning evaluation_id`
    if (ours.length === 0) throw new LeaseLost()
    const summary = summaryOf(all, remark)
    if (runs.length === 0) return endWithout(sql, [held.evaluation_id], summary)
    const { evaluation_id: id, source, run_id, team_id, agent_id, build_id, run_ended_at: ended_at } = held
    const run = { id: run_id, team_id, agent_id, build_id, ended_at }
    await writeEvaluations(sql, [{ id, source, status, run, results: all, summary, isJudged: results.length > 0 }])
  })
}

async function afterTrouble(context: Context, held: HeldJudgement, error: unknown): Promise<void> {
  if (error instanceof ModelRefused || error instanceof NoAnswer) return giveUp(context, held, error.message)
  const isTheirs = error instanceof ModelTrouble
  if (!isTheirs) context.log.error({ err: error, run_id: held.run_id }, 'a run could not be judged')
  const reason = isTheirs ? error.message : 'The server failed. Its operator finds the reason in the log.'
  if (held.attempts >= attemptsMax) {
    return giveUp(context, held, `The judge did not answer in ${attemptsMax} attempts. The last one: ${reason}`)
  }
  const usual = 5000 * 3 ** (held.attempts - 1) * (0.75 + Math.random() / 2)
  const wished = isTheirs ? (error.retryAfterMs ?? 0) : 0
  await putOff(context.db.sql, held, Math.min(pauseMaxMs, Math.max(usual, wished)))
}
