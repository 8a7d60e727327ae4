// What a working process does for polls: calls the tools that are due, a few at a time, teams in turns.
import { part } from '../../base/db.ts'
import { createFairPool, teamShare, type FairPool } from '../../base/fairPool.ts'
import { newId } from '../../base/ids.ts'
import type { Context } from '../../kit/context.ts'
import type { Work, WorkingProcess } from '../../kit/feature.ts'
import { lookFor } from '../../kit/sharedLook.ts'
import type { DeadProcess } from '../../kit/presence.ts'
import { callMs, pollOne, type DuePoll } from './pollOne.ts'

/** How many tools a process calls at a time. */
const pollsMax = 4

interface Poller {
  context: Context
  worker: string
  slots: FairPool
  polling: Set<Promise<void>>
  /** Aborted when the process stops: what it polled is polled again by another. */
  cut: AbortController
}

const openPoller = (context: Context, worker: string): Poller => ({
  context,
  worker,
  slots: createFairPool({ name: 'polls', size: pollsMax, perTeam: teamShare(pollsMax, context.config.teamShare) }),
  polling: new Set(),
  cut: new AbortController(),
})

const isClaimable = part`next_poll_at <= now() and (poll_until is null or poll_until <= now())`
const asked = { any: part`exists (select from triggers where ${isClaimable})` }

export function startPoller(context: Context, process: WorkingProcess): Work {
  const poller = openPoller(context, process.id)
  return {
    async poll() {
      if ((await lookFor(context, asked)).any) await pollDue(poller)
    },
    async stop() {
      poller.cut.abort()
      await Promise.all(poller.polling)
    },
  }
}

async function pollDue(poller: Poller): Promise<void> {
  const { context, worker, slots, polling, cut } = poller
  const free = slots.size - slots.taken()
  if (free === 0 || cut.signal.aborted) return
  for (const due of await claimPolls(context, worker, free, slots.fullTeams())) {
    const release = slots.tryTake(due.team_id)
    const work: Promise<void> = pollOne(context, due, cut.signal)
      .catch((error: unknown) =>
        context.log.warn({ err: error, trigger_id: due.id }, 'could not poll for a trigger; its claim ends'),
      )
      .finally(() => {
        release?.()
        polling.delete(work)
      })
    polling.add(work)
  }
}

/** The claim outlives the call: whoever cannot write any more leaves the poll to another when it is over. */
const claimS = Math.ceil(callMs / 1000) + 30

/** The oldest of each team, then the next of each. */
const claimPolls = (
  { db }: Context,
  worker: string,
  max: number,
  fullTeams: string[],
): Promise<DuePoll[]> => db.sql<DuePoll>`
  update triggers t set poll_worker = ${worker}, poll_claim = ${newId()}, poll_until = now() + make_interval(secs => ${claimS})
  where id in (
    select id from triggers where id in (
      select id from (
        select id, next_poll_at, row_number() over (partition by team_id order by next_poll_at) as turn from triggers
        where ${isClaimable} and team_id <> all(${fullTeams}::uuid[])
      ) due order by turn, next_poll_at limit ${max})
    and ${isClaimable}
    for no key update skip locked)
  returning id, team_id, changed_by, connection_id, tool, arguments, items, every_minutes, start_existing, dedupe_key, failures, poll_claim,
    last_polled_at`

/** What a dead process polled is polled by another, at once. */
export async function reapPolls({ db }: Context, dead: DeadProcess): Promise<void> {
  await db.sql`
    update triggers set poll_worker = null, poll_claim = null, poll_until = null where poll_worker = ${dead.id}`
}

/** Polls everything that is due until nothing is. Tests use it instead of waiting. */
export async function drainPolls(context: Context): Promise<void> {
  const poller = openPoller(context, newId())
  do {
    await pollDue(poller)
    await Promise.all(poller.polling)
  } while ((await claimable(context)) > 0)
}

async function claimable({ db }: Context): Promise<number> {
  const rows = await db.sql`select 1 from triggers where ${isClaimable}`
  return rows.length
}
