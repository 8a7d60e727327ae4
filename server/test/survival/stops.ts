// Proof: a run that is stopped in any phase is over with the answer, writes nothing more, and soon touches nothing outside.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Arrival } from '../../src/drill/callCounter.ts'
import { readLedger, type Ledger } from '../../src/drill/ledger.ts'
import { percentile } from './processes.ts'
import { makeAgents, phasesWithWorkers, phasesWithoutWorkers, type Agents, type Phase } from './stopPhases.ts'
import { bodyOf, type Yard } from './yard.ts'

export interface Stops extends Ledger {
  stops: number
  /** The run had ended by itself before its stop. */
  tooLate: number
  /** Must be 0: the first getRun after the answer does not say what the answer said. */
  notAsAnswered: number
  /** Must be 0: runs for which something was written after the answer. */
  writtenAfter: number
  /** Must be 0: outside calls of steps that had not been begun when the answer came. */
  calledUnbegun: number
  /** Outside calls that came more than a second after the answer. */
  calledLate: number
  /** Calls that were under way, and when their caller had hung up after the answer. */
  cutOff: number
  cutOffP50Ms: number
  cutOffMaxMs: number
  /** From asking to the answer. */
  answerP50Ms: number
  answerMaxMs: number
}

interface Options {
  perPhase: number
  workers: number
}

interface Stopped {
  phase: string
  runId: string
  askedAt: number
  answeredAt: number
  status: string
  isAsAnswered: boolean
  rowsThen: string
}

/** The promise: nothing outside is called later than this after the answer. */
const lateMs = 1000
/** Stops that are under way at once. */
const lanes = 8

/** The workers of the yard start when the phases that need none are over. */
export async function stopInEveryPhase(yard: Yard, { perPhase, workers }: Options): Promise<Stops> {
  const agents = await makeAgents(yard)
  const stopped = await stopAll(yard, agents, phasesWithoutWorkers, perPhase)
  yard.workers.push(...(await Promise.all(Array.from({ length: workers }, yard.startWorker))))
  stopped.push(...(await stopAll(yard, agents, phasesWithWorkers, perPhase)))
  // behind this lie several looks of every worker and the longest call: what could still be written or made has been
  await sleep(3000)
  return judge(yard, stopped)
}

async function stopAll(
  yard: Yard,
  agents: Agents,
  phases: Record<string, Phase>,
  perPhase: number,
): Promise<Stopped[]> {
  const wanted = Object.entries(phases).flatMap((phase) => Array.from({ length: perPhase }, () => phase))
  const stopped: Stopped[] = []
  let next = 0
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      while (next < wanted.length) {
        const [name, phase] = wanted[next++]!
        stopped.push(await stopOne(yard, name, await phase(yard, agents)))
      }
    }),
  )
  return stopped
}

async function stopOne(yard: Yard, phase: string, runId: string): Promise<Stopped> {
  const askedAt = Date.now()
  const { status } = bodyOf(await yard.call({ method: 'POST', path: `/v2/runs/${runId}/stop` }))
  const answeredAt = Date.now()
  const [rowsThen, seen] = await Promise.all([rowsOf(yard, runId), yard.call({ path: `/v2/runs/${runId}` })])
  const isAsAnswered = bodyOf(seen)['status'] === status
  return { phase, runId, askedAt, answeredAt, status: status as string, isAsAnswered, rowsThen }
}

/** What is written of the run and of those below it. */
async function rowsOf({ sql }: Yard, runId: string): Promise<string> {
  const [row] = await sql<{ rows: string }>`
    with family as (select id from runs where id = ${runId} or parent_run_id = ${runId})
    select
      (select coalesce(string_agg(concat_ws(' ', s.run_id, s.seq, s.state, s.attempt), ', ' order by s.run_id, s.seq), '')
        from run_steps s where s.run_id in (select id from family))
      || '; ' || (select count(*) from run_messages m where m.run_id in (select id from family))
      || '; ' || (select count(*) from events e where e.run_id in (select id from family)) as rows`
  return row!.rows
}

async function judge(yard: Yard, stopped: Stopped[]): Promise<Stops> {
  const arrivals = await arrivalsByRun(yard)
  const seen = { tooLate: 0, notAsAnswered: 0, writtenAfter: 0, calledUnbegun: 0, calledLate: 0 }
  const cutOffMs: number[] = []
  for (const { runId, answeredAt, status, isAsAnswered, rowsThen } of stopped) {
    if (status !== 'stopped') seen.tooLate += 1
    if (!isAsAnswered) seen.notAsAnswered += 1
    if ((await rowsOf(yard, runId)) !== rowsThen) seen.writtenAfter += 1
    for (const { id, at, cutOffAt } of arrivals.get(runId) ?? []) {
      const isBegun = id.startsWith('marker-') || rowsThen.includes(`${id.replace(':', ' ')} `)
      if (!isBegun) seen.calledUnbegun += 1
      if (at > answeredAt + lateMs) seen.calledLate += 1
      if (cutOffAt !== null) cutOffMs.push(cutOffAt - answeredAt)
    }
  }
  const tookMs = stopped.map(({ askedAt, answeredAt }) => answeredAt - askedAt)
  return {
    stops: stopped.length,
    ...seen,
    cutOff: cutOffMs.length,
    cutOffP50Ms: percentile(cutOffMs, 50),
    cutOffMaxMs: Math.max(0, ...cutOffMs),
    answerP50Ms: percentile(tookMs, 50),
    answerMaxMs: Math.max(...tookMs),
    ...(await readLedger(yard.sql)),
  }
}

/** Calls by the run that was stopped: its own, those of the runs below it, and those to its model. */
async function arrivalsByRun({ sql, counter }: Yard): Promise<Map<string, Arrival[]>> {
  const runs = await sql<{ id: string; marker: string; stopped: string }>`
    select id, message #>> '{}' as marker, coalesce(parent_run_id, id) as stopped from runs`
  const owners = new Map(
    runs.flatMap(({ id, marker, stopped }) => [[id, stopped] as const, [marker, stopped] as const]),
  )
  return Map.groupBy(await counter.arrivals(), ({ id }) => owners.get(id.split(':')[0]!) ?? '')
}
