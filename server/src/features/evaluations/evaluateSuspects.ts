// Runs whose evaluation by rule processes died over: each is evaluated by a process for suspects, or given up.
import { untilWritten } from '../../base/db.ts'
import type { SuspectProcesses, SuspectSeat } from '../../kit/suspectProcesses.ts'
import type { Context } from '../../kit/context.ts'
import { deathsBeforeGivenUp, givenUpDeaths, mustBeAlone } from '../../kit/deaths.ts'
import type { DriveSuspect } from '../../kit/feature.ts'
import { evaluateOne, giveUp } from './evaluateEnded.ts'
import { releaseSuspect, noteSuspectDeath, readSuspects, takeSuspect } from './evaluationDeaths.ts'

/** The kind of these units among the work of processes for suspects. */
export const evaluationKind = 'evaluation'

const suspectsAtOnce = 100

const reason =
  `At least ${deathsBeforeGivenUp} processes of the service died while they evaluated this run, so its evaluation was given up. ` +
  'The operator finds the reason in the log.'

/** Begins the evaluations that get a seat; `underWay` holds what this process has begun. */
export async function evaluateSuspects(
  context: Context,
  suspectProcesses: SuspectProcesses,
  underWay: Map<string, Promise<void>>,
) {
  for (const suspect of await readSuspects(context.db.sql, suspectsAtOnce)) {
    const { run_id, team_id } = suspect
    if (underWay.has(run_id)) continue
    if (suspect.deaths >= givenUpDeaths) {
      context.log.error({ run_id }, 'an evaluation is given up: processes died over it')
      await context.db.transaction((sql) => giveUp(sql, { run_id, team_id }, reason))
      continue
    }
    const seat = suspectProcesses.reserve({ kind: evaluationKind, teamId: team_id, mustBeAlone: mustBeAlone(suspect) })
    if (!seat) continue
    const work = evaluateElsewhere(context, seat, run_id).finally(() => underWay.delete(run_id))
    underWay.set(run_id, work)
  }
}

async function evaluateElsewhere({ db, log }: Context, seat: SuspectSeat, runId: string): Promise<void> {
  try {
    const ending = await seat.drive({ kind: evaluationKind, id: runId, epoch: 0 })
    if (ending.how === 'died') await untilWritten(() => noteSuspectDeath(db.sql, runId, ending.isSure))
  } catch (error) {
    log.warn({ err: error, run_id: runId }, 'could not take the evaluation of a run; will retry')
  }
}

export const evaluateAsSuspect: DriveSuspect = async ({ context, unit, process, took }) => {
  const { sql } = context.db
  if (!(await takeSuspect(sql, unit.id, process.id))) return false
  await took()
  try {
    await evaluateOne(context, unit.id)
  } finally {
    await releaseSuspect(sql, unit.id, process.id)
  }
  return true
}
