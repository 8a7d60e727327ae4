// The engine of one process: puts the rooms together, and is what the features of runs call.
import type { Sql } from '../base/db.ts'
import { newId } from '../base/ids.ts'
import type { Context } from '../kit/context.ts'
import { registryOf, runHooks } from '../kit/registry.ts'
import { runningPart } from '../kit/runningPart.ts'
import { createAdmissionRows, serveLines } from './admission/admission.ts'
import { createReadyCalls } from './admission/readyCall.ts'
import type { ClaimedRun } from './admission/claim.ts'
import { newSlotKeeper, noteFreed, noteTeams, serveFreed, type SlotKeeper } from './admission/slotKeeper.ts'
import { wakeRuns } from './admission/wake.ts'
import { createBuildLoader, type LoadBuild } from './builds/loadBuild.ts'
import { createEngineModels, type EngineModels } from './builds/models.ts'
import { createResolvers } from './builds/runStepTool.ts'
import { createToolRegistry, type ToolRegistry } from './builds/toolRegistry.ts'
import { createEntitlements, type Entitlements } from './counting/entitlements.ts'
import { createStorageLimit, type StorageLimit } from './counting/storageLimit.ts'
import { createCallLeases, createCostHolds } from './guardrails/dayBounds.ts'
import { createGuardrails, type Guardrails } from './guardrails/liveRules.ts'
import { createBreakers } from './driving/breakers.ts'
import type { DriveParts } from './driving/heldRun.ts'
import { recallSet } from './driving/recallTool.ts'
import { textDeltasOf } from './driving/textDeltas.ts'
import {
  drainRuns,
  newWorkers,
  startSuspectRunWorker,
  startWorker,
  type SuspectRunWorker,
  type RunWorker,
  type Workers,
  type WorkingProcess,
} from './driving/workers.ts'
import { createRunSweep } from './ending/sweepDue.ts'
import { followSubRun } from './ledger/actsFor.ts'
import { createApplyLane, type Write } from './ledger/applyLane.ts'
import { messageText } from './ledger/change.ts'
import { largeTextOf } from './ledger/largeTexts.ts'
import { createRuns, type Created, type NewRun, type RunWanted } from './starting/createRun.ts'
import { createRunNumbers } from './starting/runNumbers.ts'
import { createStartLane, type Start, type Started } from './starting/startLane.ts'
import { createStartLimits, type StartLimits } from './starting/startLimits.ts'
import { createStartTargets, type StartTargets } from './starting/startTargets.ts'

interface Engine {
  toolRegistry: ToolRegistry
  models: EngineModels
  loadBuild: LoadBuild
  startTargets: StartTargets
  entitlements: Entitlements
  guardrails: Guardrails
  storage: StorageLimit
  /** Gives a run its id, number and time, before it is written. */
  prepare(wanted: RunWanted): Promise<NewRun>
  /** Which of these the limits of their teams let start, for a caller that continues without the others. */
  fitting: StartLimits['fitting']
  refusedLately: StartLimits['refusedLately']
  /**
   * Writes prepared runs inside the caller's transaction. One that is missing in the answer had no agent or build any more, or its agent is paused; if a limit of
   * their teams forbids some, all are refused. With the commit a worker is called for those that have a slot.
   */
  create(sql: Sql, runs: NewRun[]): Promise<Pick<Created, 'id'>[]>
  /** Writes a prepared run together with others', in one commit. */
  start(start: Start): Promise<Started>
  /** Takes up runs on this process until it stops. */
  work(process: WorkingProcess): RunWorker
  /** Drives the suspects that this process is given, and claims nothing by itself (kit/suspectProcesses.ts). */
  driveSuspects(process: Omit<WorkingProcess, 'seats'>): SuspectRunWorker
  /** Runs everything that is due until nothing is left. Tests use it instead of waiting. */
  drain(): Promise<void>
  /** Called with each piece of text as a model makes it. */
  onText: (heard: OnText) => () => void
}

type OnText = DriveParts['onText']

export const engineOf = runningPart('engine', createEngine)

function createEngine(context: Context): Engine {
  const toolRegistry = createToolRegistry([...registryOf(context).toolSets, recallSet])
  const models = createEngineModels(context)
  const loadBuild = createBuildLoader()
  const sweep = createRunSweep(context)
  const textListeners = new Set<OnText>([textDeltasOf(context).made])
  const starting = createStarting(
    context,
    () => workers,
    () => ready(),
  )
  const { keeper, startLimits, entitlements, guardrails, storage, prepare, startLane } = starting

  const parts: Omit<DriveParts, 'telemetry'> = {
    context,
    applyLane: createApplyLane({
      context,
      toolRegistry,
      onFreed: (freed) => noteFreed(keeper, freed),
      hasOwnLimit: storage.isOwn,
      watch: context.metrics.runs.lane('apply'),
    }),
    toolRegistry,
    models,
    breakers: createBreakers(context.db.sql, context.log),
    loadBuild,
    resolverFor: createResolvers(toolRegistry),
    onText(runId, delta) {
      for (const heard of textListeners) heard(runId, delta)
    },
    atEnd,
    underWay: new Map(),
    guardrails: { live: guardrails, calls: createCallLeases(context.db.sql), cost: createCostHolds(context.db) },
  }
  const workers = newWorkers({
    context,
    parts,
    sweep: () => sweep.run(),
    onReady: () => ready(),
    onFull: (from) => calls.all(from),
  })
  const calls = createReadyCalls(context)

  /** A run has a slot and no worker: this process takes it if it works on all runs, otherwise the others are called. */
  function ready(): void {
    workers.pool?.notify()
    if (!workers.pool || context.config.workerPools) calls.one()
  }

  return {
    toolRegistry,
    models,
    loadBuild,
    prepare,
    startTargets: createStartTargets(),
    entitlements,
    guardrails,
    storage,
    fitting: (sql, runs) => startLimits.fitting(sql, runs),
    refusedLately: (teamId) => startLimits.refusedLately(teamId),
    create: (sql, runs) => createWithin(startLimits, sql, runs),
    start: (start) => startLane.add(start),
    work: (process) => startWorker(workers, process),
    driveSuspects: (process) => startSuspectRunWorker(workers, process),
    drain: () =>
      drainRuns(workers, async () => {
        await keeper.admitting
        return (await sweep.run()) || (await sweep.admitWaiting())
      }),
    onText(heard) {
      textListeners.add(heard)
      return () => textListeners.delete(heard)
    },
  }
}

async function createWithin(limits: StartLimits, sql: Sql, runs: NewRun[]): Promise<Created[]> {
  const created = await limits.within(sql, runs, () => createRuns(sql, runs, undefined))
  const waiting = new Set(created.filter((one) => !one.is_admitted && one.has_free).map(({ id }) => id))
  const teams = runs.filter(({ id }) => waiting.has(id)).map(({ teamId }) => teamId)
  const isReady = created.some(({ is_admitted }) => is_admitted)
  await serveLines(sql, teams, isReady)
  return created
}

/** What starting runs needs: the limits of teams, their slots, and the lane. */
function createStarting(context: Context, workers: () => Workers, onReady: () => void) {
  const { db, log } = context
  const entitlements = createEntitlements({ sql: db.sql, listener: context.listener, log })
  const storage = createStorageLimit(context.config.teamStorageBytes, entitlements)
  const guardrails = createGuardrails({ sql: db.sql, listener: context.listener, log })
  const startLimits = createStartLimits({
    entitlements,
    storage,
    guardrails,
    stopped: context.metrics.runs.guardrailStops,
  })
  const numbers = createRunNumbers(db.sql)
  const ensureRows = createAdmissionRows()
  const keeper: SlotKeeper = newSlotKeeper({
    db,
    log,
    reserve: (wanted) => workers().pool?.reserve(wanted),
    hasWaitingStart: (teamId) => startLane.hasWaiting(({ run }) => run.teamId === teamId),
    onFreed: () => startLane.recheck(),
    onReady,
  })
  const startLane = createStartLane({
    db,
    reserve: (wanted) => workers().pool?.reserve(wanted),
    onReady,
    slots: keeper.slots,
    limits: startLimits,
    onCounted(teams) {
      noteTeams(keeper, teams)
      serveFreed(keeper)
    },
    giveSandbox: (sql, { id, teamId }, sandboxId) =>
      runHooks('runTakesSandbox', { sql, context, teamId, runId: id, sandboxId, isNew: true }),
    watch: context.metrics.runs.lane('start'),
  })

  async function prepare(wanted: RunWanted): Promise<NewRun> {
    await ensureRows(db.sql, [wanted.teamId])
    await entitlements.refresh()
    await guardrails.refresh()
    const large = await largeTextOf(messageText(wanted.message))
    return { ...wanted, large, id: newId(), runNumber: await numbers.next(), createdAt: new Date() }
  }

  return { keeper, startLimits, entitlements, guardrails, storage, prepare, startLane }
}

/** The parent of a sub-run wakes with the end of it. */
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

/** The same for bytes that are still to come: they take up nothing, however often somebody asks. */
export async function storageProblemAhead(
  context: Context,
  sql: Sql,
  teamId: string,
  bytes: number,
): Promise<string | undefined> {
  if (bytes <= 0) return undefined
  const room = await engineOf(context).storage.room(sql, teamId)
  const problem = room?.take(bytes)
  // what was taken is given back
  if (problem === undefined) room?.take(-bytes)
  return problem
}
