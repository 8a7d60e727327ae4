// The engine of one process: its lanes, its runs, and what the features of runs call.
import { untilWritten, type Sql } from '../base/db.ts'
import { newId } from '../base/ids.ts'
import { lonePlaces, type Alone, type LoneSeat } from '../kit/alone.ts'
import type { Context } from '../kit/context.ts'
import { isSuspect, mustBeAlone } from '../kit/deaths.ts'
import { eventFeedOf } from '../kit/eventFeed.ts'
import { followSubRun } from './ledger/actsFor.ts'
import { admitNext, createAdmissionRows, type Admitted } from './admission/admission.ts'
import { noteLoneDeath, takeSuspect, type ClaimedRun } from './admission/claim.ts'
import { createRuns, type Created, type NewRun, type RunWanted } from './starting/createRun.ts'
import { driveRun } from './driving/drive.ts'
import { createEntitlements, type Entitlements } from './counting/entitlements.ts'
import { createHolder, type Holder } from './driving/runPool.ts'
import { largeBytesOf } from './ledger/largeTexts.ts'
import { createBuildLoader, type LoadBuild } from './builds/loadBuild.ts'
import { createEngineModels, type EngineModels } from './builds/models.ts'
import { countPlacesLeft, createPlaces, type TeamPlaces } from './admission/knownSlots.ts'
import { createRunNumbers } from './starting/runNumbers.ts'
import { readyChannel, stopChannel } from './ledger/notifyChannels.ts'
import { createStorageLimit, type StorageLimit } from './counting/storageLimit.ts'
import { createStartLane, type Start, type Started } from './starting/startLane.ts'
import { createStartLimits, type StartLimits } from './starting/startLimits.ts'
import { createStartTargets, type StartTargets } from './starting/startTargets.ts'
import { createResolvers } from './builds/runStepTool.ts'
import { createRunSweep } from './ending/sweepDue.ts'
import { textDeltasOf } from './driving/textDeltas.ts'
import { createToolRegistry, type ToolRegistry } from './builds/toolRegistry.ts'
import { wakeRuns } from './admission/wake.ts'
import { watched } from './driving/runTelemetry.ts'
import { createWriter, type Write } from './ledger/applyLane.ts'
import { runningPart } from '../kit/runningPart.ts'
import { registryOf, runHooks } from '../kit/registry.ts'
import type { Unit } from '../kit/loneChild.ts'
import { Yielded } from './driving/leaving.ts'
import type { DriveParts, Hold } from './driving/heldRun.ts'
import { messageText } from './ledger/change.ts'

interface Engine {
  toolRegistry: ToolRegistry
  models: EngineModels
  loadBuild: LoadBuild
  startTargets: StartTargets
  entitlements: Entitlements
  storage: StorageLimit
  /** Gives a run its id, number and time, before it is written. */
  prepare(wanted: RunWanted): Promise<NewRun>
  /** Which of these the limits of their teams let start, for a caller that goes on without the others. */
  fitting: StartLimits['fitting']
  refusedLately: StartLimits['refusedLately']
  /**
   * Writes prepared runs inside the caller's transaction. One that is missing in the answer had no agent or build any more; if a limit of
   * their teams forbids some, all are refused.
   */
  create(sql: Sql, runs: NewRun[]): Promise<Created[]>
  /** Writes a prepared run together with others', in one commit. */
  start(start: Start): Promise<Started>
  /** Takes up runs on this process until it stops. */
  work(process: WorkingProcess): RunWorker
  /** Drives the suspects that this process is given, and claims nothing by itself (kit/alone.ts). */
  workAlone(process: Omit<WorkingProcess, 'places'>): LoneRunWorker
  /** Runs everything that is due until nothing is: how tests wait for nothing. */
  drain(): Promise<void>
  /** Called with each piece of text as a model makes it. */
  onText: (heard: (runId: string, delta: string) => void) => () => void
}

interface WorkingProcess {
  id: string
  places: number
  lost: () => AbortSignal
  /** Drives runs that two processes died over. Without it they are driven like any other. */
  alone?: Alone
}

interface LoneRunWorker {
  /** Resolves when the run has advanced, waits or has ended; false when it could not be taken. It waits for `took` before it begins. */
  drive(unit: Unit, took: () => Promise<void>): Promise<boolean>
  look(): Promise<void>
  stop(drainMs: number): Promise<void>
}

interface RunWorker {
  /** Part of the process's half-second sweep. */
  look(): Promise<void>
  nudge(): void
  stop(drainMs: number): Promise<void>
}

/** So long a line that gave nobody is not asked again because of new starts; places that are left ask at once. */
const fruitlessMs = 250

export const engineOf = runningPart('engine', createEngine)

function createEngine(context: Context): Engine {
  const { db, log } = context
  const toolRegistry = createToolRegistry(registryOf(context).toolSets)
  const models = createEngineModels(context.config)
  const loadBuild = createBuildLoader()
  const numbers = createRunNumbers(db.sql)
  const ensureRows = createAdmissionRows()
  const entitlements = createEntitlements({ sql: db.sql, listener: context.listener, log })
  const storage = createStorageLimit(context.config.teamStorageBytes, entitlements)
  const startLimits = createStartLimits(entitlements, storage)
  const sweep = createRunSweep(context)
  const deltas = textDeltasOf(context)
  const ears = new Set<(runId: string, delta: string) => void>([deltas.made])
  let holder: Holder | undefined

  const writer = createWriter({
    context,
    toolRegistry,
    onLeft(left) {
      places.left(left)
      // when those who wrote have heard of it, and their seats in this process are free too
      setImmediate(() => {
        startLane.look()
        countLeft()
      })
    },
    onWritten: () => eventFeedOf(context).nudge(),
    onFlush: context.metrics.runs.flushed('apply'),
  })

  const places = createPlaces()
  const dueTeams = new Set<string>()
  let admitting: Promise<void> | undefined
  let counting: Promise<void> | undefined

  /** Of places that were left: a line is served, else a start that waits carries the count, else they are only counted. */
  function countLeft(): void {
    const teams = places.uncounted()
    admit(teams.filter((id) => places.hasLine(id)))
    const isAwaited = (id: string) => places.hasLine(id) || startLane.hasWaiting(({ run }) => run.teamId === id)
    if (!teams.every(isAwaited)) counting ??= count().finally(() => (counting = undefined))
  }

  /** When nobody of a team's line could be admitted: all who stand there are capped, and a start behind them changes nothing. */
  const fruitless = new Map<string, number>()

  const isWorthAsking = ({ team_id, free, in_line }: TeamPlaces) =>
    free > 0 && in_line > 0 && performance.now() - (fruitless.get(team_id) ?? -Infinity) > fruitlessMs

  function saw(teams: TeamPlaces[]): void {
    places.saw(teams)
    admit(teams.filter(isWorthAsking).map(({ team_id }) => team_id))
  }

  async function count(): Promise<void> {
    for (;;) {
      const teams = places.uncounted().filter((id) => !places.hasLine(id))
      if (teams.length === 0) return
      places.counting(teams)
      try {
        saw(await countPlacesLeft(db.sql, teams))
      } catch (error) {
        log.warn({ err: error }, 'places that runs left were not counted; the sweep does it')
      }
    }
  }

  /** After the commit that left places; a process that dies before this leaves it to the sweep. One at a time, all teams that came meanwhile together. */
  function admit(teamIds: string[]): void {
    for (const id of teamIds) dueTeams.add(id)
    if (dueTeams.size === 0) return
    admitting ??= admitAll().finally(() => (admitting = undefined))
  }

  async function admitAll(): Promise<void> {
    while (dueTeams.size > 0) {
      const teams = [...dueTeams]
      dueTeams.clear()
      const seat = holder?.reserve(new Map(teams.map((id) => [id, seatsAtOnce])))
      places.counting(teams)
      let next: Admitted = { admitted: 0, claimed: [], teams: [] }
      try {
        next = await admitNext(db.sql, teams, seat)
      } catch (error) {
        log.warn({ err: error }, 'runs in line were not admitted; the sweep tries again')
      } finally {
        seat?.settle(next.claimed)
      }
      places.saw(next.teams)
      for (const { team_id, admitted } of next.teams) {
        if (admitted > 0) fruitless.delete(team_id)
        else fruitless.set(team_id, performance.now())
      }
      startLane.look()
      if (next.admitted > next.claimed.length) ready()
    }
  }

  const startLane = createStartLane({
    db,
    reserve: (wanted) => holder?.reserve(wanted),
    onReady: () => ready(),
    onWritten: () => eventFeedOf(context).nudge(),
    places,
    limits: startLimits,
    onCounted(teams) {
      saw(teams)
      countLeft()
    },
    giveSandbox: (sql, { id, teamId }, sandboxId) =>
      runHooks('runTakesSandbox', { sql, context, teamId, runId: id, sandboxId, isNew: true }),
    onFlush: context.metrics.runs.flushed('start'),
  })

  /** Something holds a place: this process takes it if it can, the others are called if it cannot. */
  function ready(): void {
    if (holder) holder.nudge()
    else callWorkers()
  }

  let calling = false
  /** At most one call under way, after the commits that it speaks of. */
  function callWorkers(): void {
    if (calling) return
    calling = true
    setImmediate(() => {
      calling = false
      // it need not wait for the disk: what it tells of is there already
      db.sql`select set_config('synchronous_commit', 'off', true), pg_notify(${readyChannel}, '')`.catch(
        (error: unknown) => log.debug({ err: error }, 'the workers were not called; they look by themselves'),
      )
    })
  }

  const parts: Omit<DriveParts, 'watch'> = {
    context,
    writer,
    toolRegistry,
    models,
    loadBuild,
    resolverFor: createResolvers(toolRegistry),
    onText(runId, delta) {
      for (const heard of ears) heard(runId, delta)
    },
    atEnd,
    underWay: new Map(),
  }

  const drive = (run: ClaimedRun, held: Hold) =>
    watched(parts, run, (watch) => driveRun({ ...parts, watch }, run, held))

  function hold({ id, places: seats, lost, alone }: WorkingProcess): Holder {
    return createHolder({
      context,
      workerId: id,
      places: seats,
      lost,
      ...(alone && {
        seatFor: (suspect) =>
          alone.reserve({ kind: 'run', teamId: suspect.team_id, mustBeAlone: mustBeAlone(suspect) }),
      }),
      async drive(run, held, seat) {
        if (seat && isSuspect(run)) return driveElsewhere(seat, run)
        seat?.release()
        return drive(run, held)
      },
    })
  }

  /** This process keeps the run until the other process has taken it, and reports how that process ended. */
  async function driveElsewhere(seat: LoneSeat, run: ClaimedRun): Promise<void> {
    const { id, epoch } = run
    const ending = await seat.drive({ kind: 'run', id, epoch })
    if (ending.how === 'untouched') throw new Yielded()
    if (ending.how === 'died') await untilWritten(() => noteLoneDeath(db.sql, { id, epoch }, ending.isSure))
    setImmediate(ready)
  }

  return {
    toolRegistry,
    models,
    loadBuild,
    async prepare(wanted) {
      await ensureRows(db.sql, [wanted.teamId])
      await entitlements.refresh()
      const largeBytes = largeBytesOf(messageText(wanted.message))
      return { ...wanted, largeBytes, id: newId(), runNumber: await numbers.next(), createdAt: new Date() }
    },
    startTargets: createStartTargets(),
    entitlements,
    storage,
    fitting: (sql, runs) => startLimits.fitting(sql, runs),
    refusedLately: (teamId) => startLimits.refusedLately(teamId),
    create: (sql, runs) => startLimits.within(sql, runs, () => createRuns(sql, runs, undefined)),
    start: (start) => startLane.add(start),
    work(process) {
      const mine = (holder = hold(process))
      context.metrics.runs.places.set(process.places)
      const stopReady = context.listener.on(readyChannel, () => mine.nudge())
      const stopStops = context.listener.on(stopChannel, (ids) => mine.drop(ids.split(',')))
      const stopRelay = deltas.relay()
      process.alone?.onReady(() => mine.nudge())
      mine.nudge()
      return {
        nudge: () => mine.nudge(),
        async look() {
          if (await sweep.look()) mine.nudge()
          await mine.look()
        },
        async stop(drainMs) {
          holder = undefined
          stopReady()
          stopStops()
          stopRelay()
          await mine.stop(drainMs)
        },
      }
    },
    workAlone(process) {
      const mine = createHolder({
        context,
        workerId: process.id,
        places: lonePlaces,
        lost: process.lost,
        seatFor: () => undefined,
        isOurs: isSuspect,
        drive,
      })
      const stopStops = context.listener.on(stopChannel, (ids) => mine.drop(ids.split(',')))
      const stopRelay = deltas.relay()
      return {
        look: () => mine.look(),
        async drive({ id, epoch }, took) {
          // the run's team is only known once it is taken; who gives us runs has counted the places of teams
          const seat = mine.reserve(new Map([['', 1]]))
          let run: ClaimedRun | undefined
          try {
            run = await takeSuspect(db.sql, id, epoch, process.id)
            if (run) await took()
          } finally {
            seat.settle(run ? [run] : [])
          }
          await mine.letGoOf(id)
          return run !== undefined
        },
        async stop(drainMs) {
          stopStops()
          stopRelay()
          await mine.stop(drainMs)
        },
      }
    },
    async drain() {
      const mine = hold({ id: newId(), places: 100, lost: () => new AbortController().signal })
      do {
        await mine.idle()
        await admitting
      } while ((await sweep.look()) || (await sweep.admitWaiting()))
      await mine.stop(0)
    },
    onText(heard) {
      ears.add(heard)
      return () => ears.delete(heard)
    },
  }
}

/** How many runs one round gives to this process, with their places. */
const seatsAtOnce = 64

/** The run above wakes with the end of this one. */
function atEnd({ id, parent_run_id }: ClaimedRun): Write['atEnd'] {
  if (parent_run_id === null) return undefined
  return async (sql, { status }) => {
    if (status === 'waiting') return
    await wakeRuns(sql, [parent_run_id])
    await followSubRun(sql, parent_run_id, id)
  }
}

/** Why this many more bytes do not fit, or undefined. If the team has its own limit, the writer locks it until its commit. */
export const storageProblem = (
  context: Context,
  sql: Sql,
  teamId: string,
  bytes: number,
): Promise<string | undefined> => engineOf(context).storage.problem(sql, teamId, bytes)
