// What a working process does for evaluations: polls for ended runs and due judgements, and rests much longer than it works.
import { setTimeout as sleep } from 'node:timers/promises'
import { part } from '../../base/db.ts'
import { teamShare } from '../../base/fairPool.ts'
import { createSharedPool } from '../../kit/sharedPools.ts'
import type { Context } from '../../kit/context.ts'
import { isSuspect } from '../../kit/deaths.ts'
import { lookFor } from '../../kit/sharedLook.ts'
import type { Work, WorkingProcess } from '../../kit/feature.ts'
import { evaluateEnded } from './evaluateEnded.ts'
import { evaluateSuspects } from './evaluateSuspects.ts'
import { claimJudgements, usualTimes, type JudgeTimes } from './heldJudgement.ts'
import { judge, judgeElsewhere } from './judging.ts'

/** How many times as long as it worked it rests: runs always get five sixths of what one connection can do. */
const restFactor = 5
/** How many judgements run at a time: each takes seconds to minutes and costs money. */
const judgesMax = 4

const asked = {
  runs: part`exists (select from runs_to_evaluate)`,
  suspects: part`exists (select from evaluation_deaths)`,
  judgements: part`exists (select from judgements where due_at <= now())`,
}

export function startEvaluator(context: Context, { id: worker, suspectProcesses }: WorkingProcess): Work {
  const { db, log } = context
  const stopping = new AbortController()
  const judging = new Set<Promise<void>>()
  const slots = createSharedPool(context, {
    name: 'judgements',
    size: judgesMax,
    perTeam: teamShare(judgesMax, context.config.teamShare),
  })
  let evaluating: Promise<void> | undefined
  const elsewhere = new Map<string, Promise<void>>()

  async function evaluateAll(): Promise<void> {
    while (!stopping.signal.aborted) {
      const startedAt = performance.now()
      if ((await evaluateEnded(context, suspectProcesses && worker)) === 0) return
      await rest((performance.now() - startedAt) * restFactor)
    }
  }

  const rest = (ms: number) => sleep(ms, undefined, { signal: stopping.signal }).catch(() => undefined)

  async function judgeDue(): Promise<void> {
    // one at a time, so that each counts what the one before it took
    while (slots.taken() < slots.size && !stopping.signal.aborted) {
      const [held] = await claimJudgements(db.sql, 1, usualTimes, slots.fullTeams(), worker)
      if (!held) return
      const release = slots.tryTake(held.team_id)
      const judged =
        suspectProcesses && isSuspect(held)
          ? judgeElsewhere(context, suspectProcesses, held)
          : judge(context, held, usualTimes, stopping.signal)
      const work: Promise<void> = judged
        .catch((error: unknown) =>
          log.warn({ err: error, run_id: held.run_id }, 'could not write a judgement; will retry'),
        )
        .finally(() => {
          judging.delete(work)
          release?.()
        })
      judging.add(work)
    }
  }

  return {
    async poll() {
      const due = await lookFor(context, asked)
      if (due.runs) {
        evaluating ??= evaluateAll()
          .catch((error: unknown) => log.warn({ err: error }, 'could not evaluate ended runs; will retry'))
          .finally(() => (evaluating = undefined))
      }
      if (due.suspects && suspectProcesses && !stopping.signal.aborted)
        await evaluateSuspects(context, suspectProcesses, elsewhere)
      if (due.judgements) await judgeDue()
    },
    async stop() {
      stopping.abort()
      await Promise.all([evaluating, ...elsewhere.values(), ...judging])
    },
  }
}

/** Does everything that is due until nothing is left. Tests use it instead of waiting. */
export async function drainEvaluations(context: Context, times: JudgeTimes = usualTimes): Promise<void> {
  while ((await evaluateEnded(context)) > 0);
  for (;;) {
    const held = await claimJudgements(context.db.sql, judgesMax, times)
    if (held.length === 0) return
    await Promise.all(held.map((judgement) => judge(context, judgement, times, new AbortController().signal)))
  }
}
