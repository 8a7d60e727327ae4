// What a drill found: counted from the records of the runs, the counter of calls and the receiver of events, and judged in a sentence.
import type { Sql } from '../base/db.ts'
import { one } from '../base/db.ts'
import type { DrillFinding, DrillResult } from '../features/system/drills/drill.ts'
import type { Arrival as Delivered } from './hookReceiver.ts'
import type { Ground } from './ground.ts'
import { findCallFaults, readLedger, type CallFault } from './ledger.ts'
import type { Killing } from './killing.ts'
import type { Person } from './person.ts'
import { memoryPath, memoryWritesPerRun } from './procedures.ts'

const findingsMax = 50

/** What must be zero, and how a verdict says that it is not. */
const mustBeZero = {
  runs_lost: 'runs lost',
  finished_calls_repeated: 'finished calls repeated',
  calls_doubled: 'calls doubled against their rule',
  calls_missing: 'calls with a result that never came',
  deliveries_lost: 'deliveries lost',
  deliveries_changed: 'deliveries repeated with other bytes',
  memory_missing: 'memory writes missing',
  records_broken: 'records of runs broken',
  rows_left: 'rows not erased',
} as const satisfies Partial<Record<keyof DrillResult, string>>

type Counted = Omit<DrillResult, 'holds' | 'verdict' | 'took_ms' | 'erased_runs' | 'rows_left'>

interface Seen {
  ground: Ground
  killing: Killing
  person: Person
  started: number
  /** What was noticed on the way. */
  findings: DrillFinding[]
}

export async function countResult({ ground, killing, person, started, findings }: Seen): Promise<Counted> {
  const { context, sql, teamId, agentId } = ground
  const runs = await countRuns(sql, teamId)
  const calls = await findCallFaults(sql, await ground.counter.arrivals(), {
    teamId,
    clock: await clockOf(context.db.sql),
  })
  const ledger = await readLedger(sql, teamId)
  const delivered = countDelivered(ground.receiver.arrivals, runs.events)
  const memory = await ground.call({ path: `/v2/agents/${agentId}/memory/files/${memoryPath}` })
  const generation = memory.status === 200 ? (JSON.parse(memory.text) as { generation: number }).generation : 0
  const memoryWrites = started * memoryWritesPerRun
  const { takeovers, takeoverP50Ms, takeoverP99Ms } = killing.takeoverTimes()
  const idsWith = (...kinds: CallFault['kind'][]) =>
    new Set(calls.faults.filter(({ kind }) => kinds.includes(kind)).map(({ id }) => id)).size
  return {
    runs_started: started,
    // each starts exactly one sub-run; one that is there twice does not stand for another that is lost
    runs_lost: Math.max(0, started - runs.completed) + Math.max(0, started - runs.completed_below),
    kills: killing.kills,
    kills_between: killing.killsBetween,
    calls: calls.calls,
    calls_retried: calls.retried,
    finished_calls_repeated: idsWith('finishedRepeated'),
    calls_doubled: idsWith('askRepeated', 'beyondAttempts'),
    calls_missing: idsWith('neverMade'),
    in_doubt_asked: person.answers.happened + person.answers.makeItNow,
    approvals: person.approved(),
    takeovers,
    takeover_p50_ms: takeovers === 0 ? null : takeoverP50Ms,
    takeover_p99_ms: takeovers === 0 ? null : takeoverP99Ms,
    ...delivered,
    memory_writes: memoryWrites,
    memory_missing: Math.max(0, memoryWrites - generation),
    records_broken: ledger.notOneEnd + ledger.gaps + ledger.secondResults + ledger.leftOpen,
    findings: [
      ...findings,
      ...calls.faults.map(findingOf),
      ...(await lostRuns(sql, teamId)),
      ...(await doubledRuns(sql, teamId, started)),
      ...doubledWrites(generation, memoryWrites),
    ].slice(0, findingsMax),
  }
}

const countRuns = (sql: Sql, teamId: string) =>
  one(sql<{ completed: number; completed_below: number; events: number }>`
    select count(*) filter (where status = 'completed' and depth = 0) as completed,
      count(distinct parent_run_id) filter (where status = 'completed' and depth > 0) as completed_below,
      coalesce(sum(event_seq), 0)::int8 as events
    from runs where team_id = ${teamId}`)

/** The clock of a database elsewhere may be ahead of ours: the fastest of some answers says by how much. */
async function clockOf(sql: Sql): Promise<{ aheadMs: number; errorMs: number }> {
  let best = { aheadMs: 0, errorMs: Infinity }
  for (let turn = 0; turn < 5; turn++) {
    const before = Date.now()
    const { at } = await one(sql<{ at: Date }>`select clock_timestamp() as at`)
    const after = Date.now()
    // both clocks are read in whole milliseconds
    const errorMs = (after - before) / 2 + 1
    if (errorMs < best.errorMs) best = { aheadMs: at.getTime() - (before + after) / 2, errorMs }
  }
  return best
}

function countDelivered(arrivals: Delivered[], wanted: number) {
  const first = new Map<string, string>()
  let changed = 0
  for (const { id, bytes } of arrivals) {
    const before = first.get(id)
    if (before === undefined) first.set(id, bytes)
    else if (before !== bytes) changed += 1
  }
  return {
    deliveries: wanted,
    deliveries_lost: Math.max(0, wanted - first.size),
    deliveries_repeated: arrivals.length - first.size,
    deliveries_changed: changed,
  }
}

const faultWords: Record<CallFault['kind'], string> = {
  finishedRepeated: 'finished call repeated',
  askRepeated: 'call doubled against its rule',
  neverMade: 'call with a result never came',
  beyondAttempts: 'call came more often than it was begun',
}

function findingOf({ kind, id, method, url, came, attempts }: CallFault): DrillFinding {
  const [run, step] = id.split(':')
  const detail = `${method} ${url} (step ${step} of run ${run}) came ${came} times; it was begun ${attempts} times.`
  return { what: faultWords[kind], detail }
}

async function lostRuns(sql: Sql, teamId: string): Promise<DrillFinding[]> {
  const lost = await sql<{ id: string; status: string; error: { message?: string } | null }>`
    select id, status, error from runs where team_id = ${teamId} and status <> 'completed' order by id limit ${findingsMax}`
  return lost.map(({ id, status, error }) => ({
    what: 'run lost',
    detail: `Run ${id} is ${status}${error?.message ? `: ${error.message}` : ''}.`,
  }))
}

/** A run that was made twice has calls of its own, each of them made once: only the number of runs shows it. */
async function doubledRuns(sql: Sql, teamId: string, started: number): Promise<DrillFinding[]> {
  const { above } = await one(sql<{ above: number }>`
    select count(*) as above from runs where team_id = ${teamId} and depth = 0`)
  const parents = await sql<{ id: string; below: number }>`
    select parent_run_id as id, count(*) as below from runs where team_id = ${teamId} and depth > 0
    group by parent_run_id having count(*) > 1 order by 1 limit ${findingsMax}`
  const twice = parents.map(({ id, below }) => ({
    what: 'sub-run doubled',
    detail: `Run ${id} has ${below} sub-runs; it starts one.`,
  }))
  if (above <= started) return twice
  return [{ what: 'run doubled', detail: `There are ${above} runs; ${started} were started.` }, ...twice]
}

function doubledWrites(generation: number, wanted: number): DrillFinding[] {
  if (generation <= wanted) return []
  const detail = `The file ${memoryPath} was written ${generation} times; it was to be written ${wanted} times.`
  return [{ what: 'memory write doubled', detail }]
}

export function judge(counted: Counted, rest: Pick<DrillResult, 'took_ms' | 'erased_runs' | 'rows_left'>): DrillResult {
  const all = { ...counted, ...rest }
  const wrong = Object.entries(mustBeZero).flatMap(([name, words]) => {
    const count = all[name as keyof typeof mustBeZero]
    return count > 0 ? [`${words}: ${count}`] : []
  })
  const holds = wrong.length === 0 && counted.findings.length === 0
  const what = wrong.length > 0 ? wrong.join('; ') : (counted.findings[0]?.detail ?? '')
  const verdict = holds
    ? `${counted.runs_started} runs over ${counted.kills} killed workers: nothing was lost, repeated or doubled.`
    : `Not everything is as it must be after ${counted.kills} killed workers: ${what}`
  return { ...all, holds, verdict }
}
