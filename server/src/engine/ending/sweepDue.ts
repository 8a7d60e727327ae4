// The half-second sweep of everything that time or a death may have left: due waits, expired requests, lost runs, miscounted slots.
import { one } from '../../base/db.ts'
import type { Context } from '../../kit/context.ts'
import { admitNext, recount } from '../admission/admission.ts'
import { isOrdinary, isSuspectRow, reviveOrphans } from '../admission/claim.ts'
import { expireRequest } from '../requests/humanRequests.ts'
import { wakeDue } from '../admission/wake.ts'

const dueAtOnce = 500
/** How often, in sweeps, the slots are counted again and runs whose process is gone are set free. */
const thoroughEvery = 10

interface Found {
  due: boolean
  expired: boolean
  ready: boolean
  suspect: boolean
}

interface RunSweep {
  /** True when there are runs for a worker to take. */
  run(): Promise<boolean>
  /** Counts the slots again and gives free ones to runs that wait; true when there were any. */
  admitWaiting(): Promise<boolean>
}

export function createRunSweep({ db, log }: Pick<Context, 'db' | 'log'>): RunSweep {
  let count = 0
  return {
    async run() {
      // one cheap statement when nothing is due: an idle service must cost next to nothing
      const found = await one(db.sql<Found>`
        select exists (select from runs where due_at <= now()) as due,
          exists (select from runs where admitted_at is not null and worker is null and ${isOrdinary}) as ready,
          exists (select from runs where admitted_at is not null and worker is null and ${isSuspectRow}) as suspect,
          exists (select from human_requests where status = 'pending' and expires_at <= now()) as expired`)
      let isReady = found.ready || found.suspect
      while (found.due && (await wakeSome())) isReady = true
      while (found.expired && (await db.transaction(expireRequest))) isReady = true
      count += 1
      if (count % thoroughEvery === 0) isReady = (await thorough()) || isReady
      return isReady
    },
    admitWaiting,
  }

  async function wakeSome(): Promise<boolean> {
    const { woken } = await db.transaction((sql) => wakeDue(sql, dueAtOnce))
    return woken > 0
  }

  async function thorough(): Promise<boolean> {
    const revived = await reviveOrphans(db.sql)
    if (revived > 0) log.warn({ runs: revived }, 'runs of a process that is gone are set free')
    return (await admitWaiting()) || revived > 0
  }

  async function admitWaiting(): Promise<boolean> {
    let admitted = 0
    for (const teamId of await db.transaction(recount)) admitted += (await admitNext(db.sql, [teamId])).admitted
    return admitted > 0
  }
}
