// A drill against a service: starts runs, kills the workers that drive them, counts what came of it, and leaves nothing behind.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../base/config.ts'
import type { Log } from '../base/log.ts'
import { mustHave } from '../base/mustHave.ts'
import type { DrillFinding, DrillProgress, DrillResult } from '../features/system/drills/drill.ts'
import {
  breakOffLost,
  drillsToErase,
  endDrill,
  handOver,
  insertDrill,
  noteProgress,
} from '../features/system/drills/drillRows.ts'
import { eraseDrillTeams } from '../features/system/drills/eraseDrillTeams.job.ts'
import { eraseScratchTeam } from '../features/system/drills/eraseScratchTeam.ts'
import { countUndelivered, deliverNow } from '../features/webhooks/drillTarget.ts'
import { recordCommand } from '../kit/audit.ts'
import type { Context } from '../kit/context.ts'
import { enqueueOn } from '../kit/job.ts'
import { serveDrill } from '../serve.ts'
import { DrillRefused, openGround, type Ground } from './ground.ts'
import { Killing } from './killing.ts'
import { honestPerson, type Person } from './person.ts'
import { bodyOf } from './requests.ts'
import { countResult, judge } from './result.ts'

/** How many runs are under way at most: fewer than a team has slots, since sub-runs need some too. */
const runsAtOnce = 20
/** Between two kills, at most. */
const pauseMs = 300
const awayMs = 2000
const reportEveryMs = 500
/** When nothing has happened to any run for so long, nothing will. */
const silentMs = 30_000

interface DrillWanted {
  config: Config
  log: Log
  /** The drill that was asked for, or what it shall be. */
  asked: { id: string } | { runs: number; kills: number }
  timeoutMs: number
  signal: AbortSignal
  tell: (progress: DrillProgress) => void
  workerFile?: string | undefined
}

export type DrillOutcome = { result: DrillResult } | { stopped: true }

/** What a drill in progress knows. */
interface Drilling {
  id: string
  processId: string
  runs: number
  kills: number
  deadline: number
  ground: Ground
  killing: Killing
  person: Person
  started: number
  progress: DrillProgress
  findings: DrillFinding[]
  /** Aborted: it is told to stop. */
  stopping: AbortSignal
}

/** Throws DrillRefused where it cannot be made. */
export async function drill(wanted: DrillWanted): Promise<DrillOutcome> {
  const { config, log } = wanted
  const served = await serveDrill(
    { ...config, role: 'api', host: '127.0.0.1', port: 0, portGiven: true, rateLimit: 0, drillTeam: undefined },
    log,
  )
  try {
    const { context, processId } = served
    await eraseLost(context)
    const row = await takeRow(context, processId, wanted.asked)
    return await drillAs({
      ...wanted,
      context,
      processId,
      row,
      baseUrl: mustHave(served.baseUrl, 'the address of the drill'),
    })
  } finally {
    await served.stop({ patient: false })
  }
}

/** What drills left that were killed, while no process of the service was there to see it. */
async function eraseLost(context: Context): Promise<void> {
  await breakOffLost(context.db.sql)
  for (const { id, team_id } of await drillsToErase(context.db.sql)) await eraseScratchTeam(context, id, team_id)
}

interface Row {
  id: string
  runs: number
  kills: number
}

async function takeRow({ db }: Context, processId: string, asked: DrillWanted['asked']): Promise<Row> {
  if ('id' in asked) {
    const given = await handOver(db.sql, asked.id, processId)
    if (!given) throw new DrillRefused('This drill has ended already.')
    return given
  }
  return db.transaction(async (sql) => {
    const made = await insertDrill(sql, { ...asked, requestedBy: null, processId })
    if (!made)
      throw new DrillRefused('Another drill is under way on this service. Wait for its end, or stop it in the console.')
    const [oldest] = await sql<{ id: string }>`select id from teams order by created_at, id limit 1`
    if (oldest) await recordCommand(sql, oldest.id, 'drill', { type: 'drill', id: made.id })
    return made
  })
}

type Begun = DrillWanted & { context: Context; processId: string; row: Row; baseUrl: string }

async function drillAs(begun: Begun): Promise<DrillOutcome> {
  const { context, processId, row, signal, log } = begun
  const { sql } = context.db
  const beganAt = performance.now()
  let ground: Ground | undefined
  try {
    const preparing: DrillProgress = { phase: 'preparing', runs_started: 0, runs_ended: 0, kills: 0, deliveries: 0 }
    begun.tell(preparing)
    await noteProgress(sql, row.id, processId, preparing)
    ground = await openGround({ ...begun, drillId: row.id })
    const drilling = begin(begun, ground)
    const counted = await untilStopped(drilling, signal, begun.tell)
    await ground.close()
    if (!counted) {
      const { left } = await erase(context, row.id, ground.teamId)
      await endDrill(sql, row.id, { state: 'stopped', problem: left > 0 ? notErased(left) : undefined })
      return { stopped: true }
    }
    drilling.progress.phase = 'erasing'
    begun.tell(drilling.progress)
    await noteProgress(sql, row.id, processId, drilling.progress)
    const { runs, left } = await erase(context, row.id, ground.teamId)
    const took = Math.round(performance.now() - beganAt)
    const result = judge(counted, { took_ms: took, erased_runs: runs, rows_left: left })
    await endDrill(sql, row.id, { state: result.holds ? 'held' : 'failed', result })
    return { result }
  } catch (error) {
    await ground?.close()
    const problem = error instanceof Error ? error.message : String(error)
    // if the database is away, a process of the service finds this drill without its process, and does both
    await breakOff(context, row.id, problem).catch((failed: unknown) =>
      log.warn({ err: failed, process_id: processId }, 'the drill could not clean up; the service does it'),
    )
    throw error
  }
}

/** What is still there afterwards is for a job of the service. */
async function erase(context: Context, id: string, teamId: string): Promise<{ runs: number; left: number }> {
  const erased = await eraseScratchTeam(context, id, teamId)
  if (erased.left > 0) await enqueueOn(context.db.sql)(eraseDrillTeams, {})
  return erased
}

const notErased = (left: number): string => `${left} rows of its scratch team could not be erased yet.`

async function breakOff(context: Context, id: string, problem: string): Promise<void> {
  await endDrill(context.db.sql, id, { state: 'broken_off', problem })
  for (const lost of await drillsToErase(context.db.sql)) await eraseScratchTeam(context, lost.id, lost.team_id)
}

function begin({ processId, row, timeoutMs, signal }: Begun, ground: Ground): Drilling {
  return {
    ...row,
    processId,
    deadline: performance.now() + timeoutMs,
    ground,
    killing: new Killing(ground),
    person: honestPerson({ ...ground, approves: true, everyMs: 100 }),
    started: 0,
    progress: { phase: 'killing', runs_started: 0, runs_ended: 0, kills: 0, deliveries: 0 },
    findings: [],
    stopping: signal,
  }
}

/** Undefined: it was told to stop before it had a result. */
async function untilStopped(drilling: Drilling, signal: AbortSignal, tell: DrillWanted['tell']) {
  const asked = new AbortController()
  const over = new AbortController()
  drilling.stopping = AbortSignal.any([signal, asked.signal])
  const reporting = report(drilling, { tell, asked, over: over.signal })
  try {
    await together(asked, [feed(drilling), kill(drilling), beAway(drilling)])
    drilling.progress.phase = 'settling'
    await settle(drilling)
    if (drilling.stopping.aborted) return undefined
    return await countResult(drilling)
  } finally {
    over.abort()
    await reporting
    // a failure of the person was told above, where the drill waits for it
    await drilling.person.leave().catch(() => undefined)
  }
}

/** If one of them fails, the others are told to stop, and have stopped when the failure is told. */
async function together(asked: AbortController, parts: Promise<void>[]): Promise<void> {
  for (const part of parts) part.catch(() => asked.abort())
  await Promise.allSettled(parts)
  await Promise.all(parts)
}

const isTime = ({ deadline, stopping }: Drilling): boolean => performance.now() < deadline && !stopping.aborted

async function activeRuns({ ground }: Drilling): Promise<number> {
  const [row] = await ground.sql<{ active: number }>`
    select count(*) as active from runs where team_id = ${ground.teamId} and status in ('pending', 'running', 'waiting')`
  return row?.active ?? 0
}

/** The runs are spread over the kills, so that each kill finds some under way. */
async function feed(drilling: Drilling): Promise<void> {
  const { ground, runs, kills, killing } = drilling
  const body = { agent_id: ground.agentId, message: 'go' }
  const start = async () => {
    bodyOf(await ground.call({ method: 'POST', path: `/v2/teams/${ground.teamId}/runs`, body }))
    drilling.started += 1
  }
  while (isTime(drilling) && drilling.started < runs) {
    const active = await activeRuns(drilling)
    // a kill waits for a run, so there is always one while there are some left
    const isFree = killing.kills >= kills || active === 0
    const due = isFree ? runs : Math.ceil((runs * (killing.kills + 1)) / kills)
    const room = Math.min(due - drilling.started, runsAtOnce - active)
    await Promise.all(Array.from({ length: Math.max(0, room) }, start))
    await sleep(50)
  }
}

async function kill(drilling: Drilling): Promise<void> {
  const { kills, killing } = drilling
  while (isTime(drilling) && killing.kills < kills) {
    await sleep(Math.random() * pauseMs)
    // a kill that finds no run shows nothing, as long as there are runs to come
    if (drilling.started < drilling.runs && !(await isHeld(drilling.ground))) continue
    await killing.killOne()
  }
}

/** Whether a worker drives a run of the drill now. */
async function isHeld({ sql, teamId }: Ground): Promise<boolean> {
  const held =
    await sql`select 1 from runs where team_id = ${teamId} and admitted_at is not null and worker is not null limit 1`
  return held.length > 0
}

/** The receiver goes away in the middle of it all, for longer than a first retry takes. */
async function beAway(drilling: Drilling): Promise<void> {
  const { ground, killing, kills } = drilling
  while (isTime(drilling) && drilling.started < drilling.runs && killing.kills < kills / 2) await sleep(50)
  if (!isTime(drilling)) return
  await ground.receiver.down()
  await sleep(awayMs)
  await ground.receiver.up()
}

async function settle(drilling: Drilling): Promise<void> {
  const { ground, killing, person, findings, kills, runs } = drilling
  await untilEnded(drilling)
  if (drilling.stopping.aborted) return
  await untilDelivered(drilling)
  const untaken = await killing.ended().then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
  if (untaken !== undefined) findings.push({ what: 'not taken over', detail: untaken })
  await person.leave()
  for (const worker of ground.workers) {
    const { child } = worker
    if (child.exitCode === null && child.signalCode === null) continue
    findings.push({
      what: 'worker died by itself',
      detail: `A worker ended with ${child.exitCode ?? child.signalCode}: ${worker.log().slice(-500)}`,
    })
  }
  if (killing.kills < kills || drilling.started < runs) {
    findings.push({
      what: 'not in time',
      detail: `Only ${drilling.started} of ${runs} runs were started and ${killing.kills} of ${kills} workers killed.`,
    })
  }
}

async function untilEnded(drilling: Drilling): Promise<void> {
  const { ground } = drilling
  let last = ''
  let since = performance.now()
  while (isTime(drilling) && performance.now() - since < silentMs) {
    if ((await activeRuns(drilling)) === 0) return
    const [now] = await ground.sql<{ state: string | null }>`
      select max(updated_at)::text || sum(event_seq) as state from runs where team_id = ${ground.teamId}`
    if (now?.state !== last) since = performance.now()
    last = now?.state ?? ''
    await sleep(100)
  }
}

async function untilDelivered(drilling: Drilling): Promise<void> {
  const { sql, teamId, receiver } = drilling.ground
  let last = -1
  let since = performance.now()
  while (isTime(drilling) && performance.now() - since < silentMs) {
    if ((await countUndelivered(sql, teamId)) === 0) return
    await deliverNow(sql, teamId)
    if (receiver.arrivals.length !== last) since = performance.now()
    last = receiver.arrivals.length
    await sleep(200)
  }
}

interface Reporting {
  tell: DrillWanted['tell']
  /** Aborted when the row says that it shall stop. */
  asked: AbortController
  over: AbortSignal
}

/** Writes how far it is, so that the console shows it, and reads whether somebody there asked it to stop. */
async function report(drilling: Drilling, { tell, asked, over }: Reporting): Promise<void> {
  const { ground, id, processId, progress, killing } = drilling
  while (!over.aborted && !asked.signal.aborted) {
    try {
      progress.runs_started = drilling.started
      progress.runs_ended = Math.max(0, drilling.started - (await activeAbove(ground)))
      progress.kills = killing.kills
      progress.deliveries = ground.receiver.arrivals.length
      tell({ ...progress })
      if ((await noteProgress(ground.sql, id, processId, progress)) !== 'goes_on') asked.abort()
    } catch (error) {
      // the drill itself finds out whether the database is away
      ground.context.log.debug({ err: error }, 'the progress of the drill was not written')
    }
    await sleep(reportEveryMs, undefined, { signal: over }).catch(() => undefined)
  }
}

async function activeAbove({ sql, teamId }: Ground): Promise<number> {
  const [row] = await sql<{ active: number }>`
    select count(*) as active from runs
    where team_id = ${teamId} and depth = 0 and status in ('pending', 'running', 'waiting')`
  return row?.active ?? 0
}
