// Proof: thousands of schedules that are due at one moment fire once each, over three processes of which one is killed meanwhile.
import type { Proof } from './proof.ts'
import { percentile } from './processes.ts'
import { block, bodyOf, openYard, until, untilQuiet, type Yard } from './yard.ts'

export interface FiredSchedules {
  schedules: number
  /** When the process was killed, so many had been fired. */
  firedAtKill: number
  runs: number
  /** Schedules without a run, and runs beyond the first of a schedule: both must be 0. */
  lost: number
  doubled: number
  /** Runs of another due time than the one that was made, and schedules that were not moved on: both must be 0. */
  atAnotherTime: number
  notMovedOn: number
  completed: number
  /** From the due time to the stored run. */
  lateP50Ms: number
  lateMaxMs: number
}

const perAgent = 100

export async function killWhileFiring(yard: Yard, { schedules }: { schedules: number }): Promise<FiredSchedules> {
  const { sql, workers } = yard
  for (let made = 0; made < schedules; made += perAgent) await seedAgent(yard, Math.min(perAgent, schedules - made))
  // far enough away that every worker is idle when it comes, and no whole minute, so that none is due by itself
  const [due] = await sql<{ at: Date }>`
    with moved as (update schedules set next_run_at = date_trunc('second', now()) + interval '2.5 seconds' returning next_run_at)
    select min(next_run_at) as at from moved`
  const fired = async () => Number((await sql<{ runs: string }>`select count(*) as runs from runs`)[0]!.runs)
  await until('a quarter is fired', fired, (runs) => runs >= schedules / 4)
  const victim = workers.shift()!
  await victim.stop('SIGKILL')
  const firedAtKill = await fired()
  const left = async () =>
    Number((await sql<{ n: string }>`select count(*) as n from schedules where next_run_at <= now()`)[0]!.n)
  await until('all are fired', left, (count) => count === 0, { everyMs: 100, forMs: 300_000 })
  await untilQuiet(yard)
  return { schedules, firedAtKill, ...(await countRuns(yard, due!.at)) }
}

/** One schedule as users make it, and copies of it: what is proved is their firing. */
async function seedAgent(yard: Yard, schedules: number): Promise<void> {
  const agentId = await yard.newAgent(block('output', 'done'))
  const body = { frequency: 'daily', time: elevenHoursAway(), message: 'go' }
  const made = bodyOf(await yard.call({ method: 'POST', path: `/v2/agents/${agentId}/schedules`, body }))
  await yard.sql`
    insert into schedules (id, team_id, agent_id, user_id, enabled, frequency, time, timezone, message, recurring, overlap, catch_up)
    select gen_random_uuid(), team_id, agent_id, user_id, enabled, frequency, time, timezone, message, recurring, overlap, catch_up
    from schedules, generate_series(2, ${schedules}::int) where id = ${made['id']}`
}

const elevenHoursAway = (): string => new Date(Date.now() + 11 * 3_600_000).toISOString().slice(11, 16)

async function countRuns({ sql }: Yard, due: Date): Promise<Omit<FiredSchedules, 'schedules' | 'firedAtKill'>> {
  const of = await sql<{ runs: number; moved_on: boolean }>`
    select (select count(*)::int from runs r where r.metadata ->> 'schedule_id' = s.id::text) as runs, s.next_run_at > now() as moved_on
    from schedules s`
  const runs = await sql<{ status: string; scheduled_for: string; created_at: Date }>`
    select status, metadata ->> 'scheduled_for' as scheduled_for, created_at from runs`
  const lateMs = runs.map(({ created_at }) => created_at.getTime() - due.getTime())
  return {
    runs: runs.length,
    lost: of.filter((one) => one.runs === 0).length,
    doubled: of.reduce((sum, one) => sum + Math.max(0, one.runs - 1), 0),
    atAnotherTime: runs.filter((run) => run.scheduled_for !== due.toISOString()).length,
    notMovedOn: of.filter((one) => !one.moved_on).length,
    completed: runs.filter(({ status }) => status === 'completed').length,
    lateP50Ms: Math.round(percentile(lateMs, 50)),
    lateMaxMs: Math.round(Math.max(...lateMs)),
  }
}

export const scheduleProof: Proof = {
  name: '10,000 schedules due at one moment, 3 processes, one killed',
  must: 'each fires once, for its due time, and is moved on; every run completed',
  async run(dataDir) {
    const yard = await openYard({ options: { dataDir, env: { LOG_LEVEL: 'error' } }, workers: 3 })
    try {
      const counts = await killWhileFiring(yard, { schedules: 10_000 })
      const wrong = counts.lost + counts.doubled + counts.atAnotherTime + counts.notMovedOn
      const isInTime = counts.firedAtKill < counts.schedules
      return { counts, holds: wrong === 0 && isInTime && counts.completed === counts.schedules }
    } finally {
      await yard.close()
    }
  },
}
