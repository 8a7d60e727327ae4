// Runs the commands of callers in a working process: claims what is asked for, runs it in a sandbox, writes the answer into its row.
import { createOnceMore, type OnceMore } from '../../../base/onceMore.ts'
import { part, type Sql } from '../../../base/db.ts'
import { teamShare, type FairPool } from '../../../base/fairPool.ts'
import { createSharedPool } from '../../../kit/sharedPools.ts'
import type { Context } from '../../../kit/context.ts'
import { backgroundDatabaseOf } from '../../../kit/teamDatabase.ts'
import type { Work, WorkingProcess } from '../../../kit/feature.ts'
import { LeftTooMuch } from '../../../drivers/sandbox/sandbox.ts'
import { lookFor } from '../../../kit/sharedLook.ts'
import { CannotSave } from '../../../kit/tool.ts'
import { commandResult, outputBytesMax } from '../pool/command.ts'
import { saveChanges } from '../pool/saveChanges.ts'
import type { CommandOutcome } from '../pool/openSandbox.ts'
import { sandboxPoolOf } from '../pool/sandboxPool.ts'
import { lockedColumns, type LockedSandbox } from '../workspace/changes.ts'
import { endExec, releaseExec, suspectDeaths, sweepExecs, takeExec, type Answered, type TakenExec } from './execs.ts'
import { closeAll, closeIdle, takeWarm, type WarmSandboxes } from './warmSandboxes.ts'

/** Another worker has the command by now: nothing of it may be written. */
class Fenced extends Error {}

export interface ExecRunner extends Work {
  /** There is something to take. */
  announced(): void
}

interface RunnerState {
  context: Context
  process: WorkingProcess
  /** Called for every command that ended here. */
  onEnded: (id: string) => void
  warm: WarmSandboxes
  underWay: Set<Promise<void>>
  slots: FairPool
  stopping: AbortController
  taking: OnceMore<void>
  isStopping: boolean
  /** Workers died over the command under way: nothing runs beside it. */
  isAlone: boolean
}

const asked = { open: part`exists (select from sandbox_execs where ended_at is null)` }

export function startExecRunner(context: Context, process: WorkingProcess, onEnded: (id: string) => void): ExecRunner {
  const { config, db } = context
  const runner: RunnerState = {
    context,
    process,
    onEnded,
    warm: new Map(),
    underWay: new Set(),
    slots: createSharedPool(context, {
      name: 'commands of callers',
      size: config.sandboxShells,
      perTeam: teamShare(config.sandboxShells, config.teamShare),
    }),
    stopping: new AbortController(),
    taking: createOnceMore({
      run: () => takeAll(runner),
      onError: (error) => context.log.warn({ err: error }, 'could not take commands; will retry'),
    }),
    isStopping: false,
    isAlone: false,
  }
  runner.taking.ask()
  return {
    announced: () => runner.taking.ask(),
    async poll() {
      const { open } = await lookFor(context, asked)
      if (open && (await sweepExecs(db.sql, config.sandboxHosts.length === 0))) runner.taking.ask()
      await closeIdle(runner.warm, context.log)
    },
    stop: () => stop(runner),
  }
}

async function stop(runner: RunnerState): Promise<void> {
  runner.isStopping = true
  await runner.taking.settled()
  const { drainS } = runner.context.config
  const deadline = setTimeout(() => runner.stopping.abort(new Error('this process stops')), drainS * 1000)
  await Promise.all(runner.underWay)
  clearTimeout(deadline)
  await closeAll(runner.warm, runner.context.log)
}

const mayTake = ({ slots, isAlone, isStopping, process }: RunnerState): boolean =>
  slots.taken() < slots.size && !isAlone && !isStopping && !process.lost().aborted

async function takeAll(runner: RunnerState): Promise<void> {
  const { context, process, slots, underWay } = runner
  while (mayTake(runner)) {
    // commands of runs use the same shells: if a team's runs hold its share, its callers' commands wait too
    const full = [...slots.fullTeams(), ...sandboxPoolOf(context).slots.fullTeams()]
    const exec = await takeExec(context.db.sql, process.id, full, underWay.size === 0)
    if (!exec) return
    runner.isAlone = exec.deaths >= suspectDeaths
    const freeSlot = slots.tryTake(exec.team_id)
    const work = runOne(runner, exec).finally(() => {
      underWay.delete(work)
      runner.isAlone = false
      freeSlot?.()
      runner.taking.ask()
    })
    underWay.add(work)
  }
}

async function runOne(runner: RunnerState, exec: TakenExec): Promise<void> {
  const { context, process } = runner
  const signal = AbortSignal.any([runner.stopping.signal, process.lost()])
  try {
    const ended = await execute(runner, exec, signal).catch((error: unknown): Answered => {
      if (signal.aborted || error instanceof Fenced) throw error
      if (error instanceof CannotSave || error instanceof LeftTooMuch) return { failure: error.message }
      context.log.error({ err: error, exec_id: exec.id }, 'a command could not be run')
      return { failure: 'The command could not be run. The operator finds the reason in the log.' }
    })
    if ('failure' in ended) await endExec(context.db.sql, exec, process.id, ended)
    runner.onEnded(exec.id)
  } catch (error) {
    if (!(error instanceof Fenced)) await release(runner, exec, error)
  }
}

async function release({ context, process }: RunnerState, exec: TakenExec, reason: unknown): Promise<void> {
  const { db, log } = context
  log.info({ err: reason, exec_id: exec.id }, 'a command was cut off and is released')
  await releaseExec(db.sql, exec, process.id).catch((error: unknown) =>
    log.warn({ err: error, exec_id: exec.id }, 'could not release a command; others take it when this process ends'),
  )
}

async function execute(runner: RunnerState, exec: TakenExec, signal: AbortSignal): Promise<Answered> {
  const { context, warm } = runner
  const { db } = context
  const { sandbox_id, team_id, command, timeout_s } = exec
  const mine = takeWarm(warm, { sandbox_id, team_id }, (workspace) => sandboxPoolOf(context).open(workspace))
  try {
    const opened = await mine.sandbox
    const [sandbox] = await db.sql<{ version: string }>`
      select version from sandboxes where id = ${sandbox_id} and team_id = ${team_id}`
    if (!sandbox) throw new Fenced()
    const outcome = await opened.run(sandbox.version, {
      language: 'bash',
      code: command,
      timeoutMs: timeout_s * 1000,
      outputBytesMax,
      signal,
    })
    return await backgroundDatabaseOf(context, team_id).transaction((sql) => record(runner, sql, exec, outcome))
  } finally {
    mine.idleSince = performance.now()
    await closeIdle(warm, context.log)
  }
}

async function record(
  { context, process }: RunnerState,
  sql: Sql,
  exec: TakenExec,
  outcome: CommandOutcome,
): Promise<Answered> {
  const { sandbox_id, team_id } = exec
  const [sandbox] = await sql<LockedSandbox>`
    select ${lockedColumns} from sandboxes s where s.id = ${sandbox_id} and s.team_id = ${team_id} for update`
  const answer = { result: commandResult(outcome) }
  if (!sandbox || !(await endExec(sql, exec, process.id, answer))) throw new Fenced()
  await saveChanges(context, sql, sandbox, sandbox.last_step, outcome)
  return answer
}
