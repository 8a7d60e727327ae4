// Runs the commands of callers in a working process: takes what is asked for, keeps sandboxes warm for a while, answers in the row.
import type { Sql } from '../../../base/db.ts'
import { createFairPool, teamShare } from '../../../base/fairPool.ts'
import type { Context } from '../../../kit/context.ts'
import type { Work, WorkingProcess } from '../../../kit/feature.ts'
import { CannotKeep } from '../../../kit/tool.ts'
import { lockedColumns, type LockedSandbox } from '../workspace/changes.ts'
import { commandResult, outputBytesMax } from '../pool/command.ts'
import { endExec, giveBackExec, suspectDeaths, sweepExecs, takeExec, type Answered, type TakenExec } from './execs.ts'
import { keepChanges } from '../pool/keepChanges.ts'
import { workbenchOf, type Bench, type Ran } from '../pool/sandboxPool.ts'

/** A sandbox stays laid out for so long after its last command: the next one finds it warm. */
const warmMs = 60_000
const warmMax = 16

interface Warm {
  bench: Promise<Bench>
  /** When its last command ended; undefined while one runs. */
  idleSince: number | undefined
}

/** The command is another worker's by now: nothing of it may be written. */
class Fenced extends Error {}

export interface ExecRunner extends Work {
  /** There is something to take. */
  nudge(): void
}

/** `onEnded` hears of every command that ended here. */
export function startExecRunner(
  context: Context,
  { id: worker, lost }: WorkingProcess,
  onEnded: (id: string) => void,
): ExecRunner {
  const { config, db, log } = context
  const warm = new Map<string, Warm>()
  const underWay = new Set<Promise<void>>()
  const places = createFairPool({
    name: 'commands of callers',
    size: config.sandboxShells,
    perTeam: teamShare(config.sandboxShells, config.teamShare),
  })
  const stopping = new AbortController()
  let taking: Promise<void> | undefined
  let again = false
  let isStopping = false
  /** Whether the command under way is one that workers died over: nothing runs beside it. */
  let isAlone = false

  function nudge(): void {
    if (taking) {
      again = true
      return
    }
    taking = takeAll()
      .catch((error: unknown) => log.warn({ err: error }, 'commands could not be taken; it is tried again'))
      .finally(() => {
        taking = undefined
        if (again) {
          again = false
          nudge()
        }
      })
  }

  const mayTake = () => places.taken() < places.size && !isAlone && !isStopping && !lost().aborted

  async function takeAll(): Promise<void> {
    while (mayTake()) {
      // commands of runs use the same shells: if a team's runs hold its share, its callers' commands wait too
      const full = [...places.fullTeams(), ...workbenchOf(context).slots.fullTeams()]
      const exec = await takeExec(db.sql, worker, full, underWay.size === 0)
      if (!exec) return
      isAlone = exec.deaths >= suspectDeaths
      const release = places.tryTake(exec.team_id)
      const work = run(exec).finally(() => {
        underWay.delete(work)
        isAlone = false
        release?.()
        nudge()
      })
      underWay.add(work)
    }
  }

  async function run(exec: TakenExec): Promise<void> {
    const signal = AbortSignal.any([stopping.signal, lost()])
    try {
      const ended = await execute(exec, signal).catch((error: unknown): Answered => {
        if (signal.aborted || error instanceof Fenced) throw error
        if (error instanceof CannotKeep) return { failure: error.message }
        log.error({ err: error, exec_id: exec.id }, 'a command could not be run')
        return { failure: 'The command could not be run. The operator finds the reason in the log.' }
      })
      if ('failure' in ended) await endExec(db.sql, exec, worker, ended)
      onEnded(exec.id)
    } catch (error) {
      if (!(error instanceof Fenced)) await giveBack(exec, error)
    }
  }

  async function giveBack(exec: TakenExec, reason: unknown): Promise<void> {
    log.info({ err: reason, exec_id: exec.id }, 'a command was cut off here and is given back')
    await giveBackExec(db.sql, exec, worker).catch((error: unknown) =>
      log.warn(
        { err: error, exec_id: exec.id },
        'a command could not be given back; others see when this process ends',
      ),
    )
  }

  async function execute(exec: TakenExec, signal: AbortSignal): Promise<Answered> {
    const { sandbox_id, team_id, command, timeout_s } = exec
    const mine = warmed(exec)
    try {
      const bench = await mine.bench
      const [sandbox] = await db.sql<{ version: string }>`
        select version from sandboxes where id = ${sandbox_id} and team_id = ${team_id}`
      if (!sandbox) throw new Fenced()
      const ran = await bench.run(sandbox.version, {
        language: 'bash',
        code: command,
        timeoutMs: timeout_s * 1000,
        outputBytesMax,
        signal,
      })
      return await db.transaction((sql) => record(sql, exec, ran))
    } finally {
      mine.idleSince = performance.now()
      await letGo(warmMax)
    }
  }

  async function record(sql: Sql, exec: TakenExec, ran: Ran): Promise<Answered> {
    const { sandbox_id, team_id } = exec
    const [sandbox] = await sql<LockedSandbox>`
      select ${lockedColumns} from sandboxes s where s.id = ${sandbox_id} and s.team_id = ${team_id} for update`
    const answer = { result: commandResult(ran) }
    if (!sandbox || !(await endExec(sql, exec, worker, answer))) throw new Fenced()
    await keepChanges(context, sql, sandbox, sandbox.last_step, ran)
    return answer
  }

  function warmed(exec: TakenExec): Warm {
    const { sandbox_id, team_id } = exec
    let one = warm.get(sandbox_id)
    if (!one) {
      one = { bench: workbenchOf(context).open({ sandbox_id, team_id }), idleSince: undefined }
      one.bench.catch(() => warm.delete(sandbox_id))
    }
    // the longest unused stands first
    warm.delete(sandbox_id)
    warm.set(sandbox_id, one)
    one.idleSince = undefined
    return one
  }

  /** Lets sandboxes go that have nothing to do: what is too old, and what is too many. */
  async function letGo(most: number): Promise<void> {
    for (const [id, { bench, idleSince }] of warm) {
      const isOld = idleSince !== undefined && performance.now() - idleSince > warmMs
      if (idleSince === undefined || (!isOld && warm.size <= most)) continue
      warm.delete(id)
      await (await bench).close()
    }
  }

  nudge()
  return {
    nudge,
    async look() {
      if (await sweepExecs(db.sql, config.sandboxHosts.length === 0)) nudge()
      await letGo(warmMax)
    },
    async stop() {
      isStopping = true
      await taking
      const deadline = setTimeout(() => stopping.abort(new Error('this process stops')), config.drainS * 1000)
      await Promise.all(underWay)
      clearTimeout(deadline)
      for (const { bench } of warm.values()) await (await bench).close()
      warm.clear()
    },
  }
}
