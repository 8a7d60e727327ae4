// The apply lane: changes of many held runs in one commit, with the effects of their inside calls in the same transaction.
import type { Sql } from '../../base/db.ts'
import { isConnectionTrouble, sqlState, untilWritten, waitForNoTeam } from '../../base/db.ts'
import type { Context } from '../../kit/context.ts'
import { endCheckOf } from '../../kit/registry.ts'
import type { Begun, Outcome, ToolCall } from '../../kit/tool.ts'
import { zip } from '../../base/zip.ts'
import { applyChanges, readEpochs, type Applied, type FreedSlots } from './apply.ts'
import type { Change } from './change.ts'
import { checkEnd, type WatchedLog } from './watchedLog.ts'
import { TryAlone, type LaneWatch } from '../../kit/lane.ts'
import { createSharedLane } from '../../kit/sharedLane.ts'
import type { ToolRegistry } from '../builds/toolRegistry.ts'

/** A call of our own database, made in the transaction of the change that records it. */
export type Effect =
  | { kind: 'inside'; tool: string; call: ToolCall<never>; record: (change: Change, outcome: Outcome) => void }
  | {
      kind: 'begin'
      begin: (sql: Sql) => Promise<Begun | Outcome>
      record: (change: Change, begun: Begun | Outcome) => void
    }

/**
 * Called when the effects of a write have happened and before anything is written: adds to the change what follows from them, and resolves to the
 * effects that come with it. It is called again when those have happened, until none come. `wakeSeq` is the run's wake number as far as it is
 * known. Every attempt of a write has a change of its own.
 */
export type Follow = (change: Change, wakeSeq: number) => Promise<Effect[]>

export interface Write {
  change: Change
  effects: Effect[]
  /** The run's wake number as its holder knows it. */
  wakeSeen: number
  /** A write without effects is followed by what has none either. */
  follow?: Follow
  /** What else belongs to the end of a run, in its transaction: its parent wakes, features do their part. */
  atEnd?: (sql: Sql, move: NonNullable<Change['move']>) => Promise<void>
  /** The run that wakes at its end. */
  parentRunId?: string
  /** The log as its holder saw it written: with it the run is checked when it ends. */
  watched?: WatchedLog
}

export interface ApplyLane {
  write(write: Write): Promise<Applied>
}

interface ApplyLaneOptions {
  context: Context
  toolRegistry: ToolRegistry
  /** Runs of a commit left their slots. */
  onFreed: (freed: FreedSlots[]) => void
  /** Whether what is stored for this team needs the row of a limit of its own. */
  hasOwnLimit: (teamId: string) => boolean
  watch: LaneWatch
}

/** An effect may store something, and then needs the row of its team’s own limit. Writes of other teams do not wait for it. */
export function createApplyLane(options: ApplyLaneOptions): ApplyLane {
  const lane = createSharedLane<Write, Applied>({
    ...options.watch,
    flush: (writes, isApart) => flush(options, writes, isApart),
    keyOf: ({ change }) => change.runId,
    teamOf: ({ change }) => change.teamId,
    // a sub-run that may end locks its parent, as one does that waits for the limit
    goesApart: ({ change, effects, atEnd }) =>
      (effects.length > 0 || atEnd !== undefined) && options.hasOwnLimit(change.teamId),
    // one at a time carries more: two only wait for each other at their agent's memory (measured: 43 % of the floor instead of 38 %)
    flushesMax: 1,
  })
  return {
    async write(write) {
      const applied = await lane.add(write)
      // only what followed was to release the run: what came first is written all the same. By a commit of its own, since the others of the
      // first one are written, and a failure must not look as if it had undone them
      const isKept = applied.outcome === 'woken' && write.change.move === null
      return isKept ? lane.add(write) : applied
    },
  }
}

type Flushed = Awaited<ReturnType<typeof applyChanges>>

function applyAll(
  { context }: ApplyLaneOptions,
  sql: Sql,
  writes: Write[],
  epochsOf?: Parameters<typeof applyChanges>[3],
): Promise<Flushed> {
  const ends = writes.flatMap(({ change, watched }) => checkEnd(context, change, watched) ?? [])
  return applyChanges(
    sql,
    writes.map(({ change }) => change),
    ends.length > 0 ? endCheckOf(context)?.sql(ends) : undefined,
    epochsOf,
  )
}

async function flush(options: ApplyLaneOptions, writes: Write[], isApart: boolean): Promise<Applied[]> {
  const { db } = options.context
  const isPlain = writes.every(({ change, effects, atEnd, follow }) => {
    const mayEnd = change.move !== null || follow !== undefined
    return effects.length === 0 && !(mayEnd && atEnd)
  })
  const { applied, freed } = isPlain
    ? await flushPlainly(options, writes)
    : await db.transaction((sql) => {
        if (!isApart) waitForNoTeam(sql)
        return flushWithEffects(options, sql, writes).catch(failAlone)
      })
  if (freed.length > 0) options.onFreed(freed)
  return applied
}

/** One statement, without a transaction around it. What it wrote is committed before the epochs of other runs are read: they are asked until they come. */
async function flushPlainly(options: ApplyLaneOptions, writes: Write[]): Promise<Flushed> {
  const copies = writes.map(copyOf)
  for (const { follow, change, wakeSeen } of copies) {
    const effects = (await follow?.(change, wakeSeen)) ?? []
    if (effects.length > 0) throw new Error('a write without effects is followed by effects')
  }
  const { sql } = options.context.db
  return applyAll(options, sql, copies, (ids) => untilWritten(() => readEpochs(sql, ids), undefined, isPutOff))
}

async function flushWithEffects(options: ApplyLaneOptions, sql: Sql, writes: Write[]): Promise<Flushed> {
  // what only our own tools do, and nobody waits for, needs no order of locks
  const isOwn = ({ effects, atEnd }: Write) => !atEnd && effects.every(({ kind }) => kind === 'inside')
  return writes.length > 1 && writes.every(isOwn)
    ? flushOpenly(options, sql, writes)
    : flushLocked(options, sql, writes)
}

/**
 * Writes without locking the runs first: a holder is nearly always still the holder, and locking each run only to update it next costs a
 * round trip and a row version. If a run has another holder by now, everything is undone and each change is tried alone.
 */
async function flushOpenly(options: ApplyLaneOptions, sql: Sql, writes: Write[]): Promise<Flushed> {
  const copies = writes.map(copyOf)
  await takeEffects(options, sql, copies)
  const flushed = await applyAll(options, sql, copies)
  if (flushed.applied.some(({ outcome }) => outcome !== 'written')) throw new TryAlone()
  return flushed
}

async function flushLocked(options: ApplyLaneOptions, sql: Sql, writes: Write[]): Promise<Flushed> {
  const locked = new Map((await lockRuns(sql, writes)).map((run) => [run.id, run]))
  const outcomes = new Map<Write, Applied>()
  const able: { write: Write; copy: Write }[] = []
  for (const write of writes) {
    const checked = checkHeld(write.change, locked.get(write.change.runId))
    if ('outcome' in checked) outcomes.set(write, checked)
    else able.push({ write, copy: copyOf({ ...write, wakeSeen: checked.wakeSeq }) })
  }
  const copies = able.map(({ copy }) => copy)
  await takeEffects(options, sql, copies)
  const { applied, freed } = copies.length > 0 ? await applyAll(options, sql, copies) : { applied: [], freed: [] }
  for (const [{ write, copy }, result] of zip(able, applied)) {
    if (copy.change.move && result.outcome === 'written') await copy.atEnd?.(sql, copy.change.move)
    outcomes.set(write, result)
  }
  return { applied: writes.flatMap((write) => outcomes.get(write) ?? []), freed }
}

/** The effects of the writes, then the effects of what follows from them, of all writes together. */
async function takeEffects(options: ApplyLaneOptions, sql: Sql, writes: Write[]): Promise<void> {
  for (let round = writes; round.length > 0;) {
    await takeEffect(options, sql, round)
    const next: Write[] = []
    for (const write of round) {
      const effects = (await write.follow?.(write.change, write.wakeSeen)) ?? []
      if (effects.length > 0) next.push({ ...write, effects })
    }
    round = next
  }
}

/** Begun calls last: one that starts a run locks its team's row, as the write itself does, and nobody who has that waits for another row. */
async function takeEffect({ context, toolRegistry }: ApplyLaneOptions, sql: Sql, writes: Write[]): Promise<void> {
  const all = writes.flatMap(({ change, effects }) => effects.map((effect) => ({ change, effect })))
  const inside = all.flatMap(({ change, effect }) => (effect.kind === 'inside' ? [{ change, effect }] : []))
  for (const [name, asked] of Map.groupBy(inside, ({ effect }) => effect.tool)) {
    const tool = toolRegistry.find(name)
    if (tool?.kind !== 'inside') throw new Error(`${name} is not an inside tool`)
    const outcomes = await tool.apply(
      asked.map(({ effect }) => effect.call),
      sql,
      context,
    )
    for (const [{ effect, change }, outcome] of zip(asked, outcomes)) effect.record(change, outcome)
  }
  for (const { change, effect } of all) {
    if (effect.kind === 'begin') effect.record(change, await effect.begin(sql))
  }
}

/** What the code of one write threw undoes the transaction of all, so it is tried without the others. */
function failAlone(error: unknown): never {
  const isOfDatabase = sqlState(error) !== undefined || isConnectionTrouble(error)
  throw isOfDatabase || error instanceof TryAlone ? error : new TryAlone('a write failed by itself', { cause: error })
}

/** Made again for every attempt: effects write into it, and an attempt that failed must leave no trace. */
function copyOf(write: Write): Write {
  const { change } = write
  const { messages, steps, events, usage } = change
  const copies = { messages: [...messages], steps: [...steps], events: [...events], usage: { ...usage } }
  return { ...write, change: { ...change, ...copies } }
}

interface Locked {
  id: string
  epoch: number
  wake_seq: number
}

/** With the parents of those that may end: they wake in this transaction, when its teams' rows are locked already, and runs come first. */
function lockRuns(sql: Sql, writes: Write[]): Promise<Locked[]> {
  const ids = writes.flatMap(({ change, follow, parentRunId }) =>
    parentRunId && (change.move || follow) ? [parentRunId, change.runId] : [change.runId],
  )
  return sql<Locked>`
    select id, epoch, wake_seq from runs where id = any(${ids}::uuid[]) order by id for update`
}

/** Known before any effect: a fenced or woken change must not leave its effects behind. */
function checkHeld(change: Change, run: Locked | undefined): Applied | { wakeSeq: number } {
  if (run?.epoch !== change.epoch) return { outcome: 'fenced', wakeSeq: 0 }
  if (change.move && change.move.wakeSeen !== run.wake_seq) {
    return { outcome: 'woken', wakeSeq: run.wake_seq }
  }
  return { wakeSeq: run.wake_seq }
}

/** The statement was refused for its content: its transaction is rolled back, and would be again. */
export const isRefused = (error: unknown): boolean => sqlState(error) !== undefined && !isTransient(error)

/** PostgreSQL undid the statement, and may do the same one in a moment: a deadlock, an unavailable lock, a slow statement. */
const isPutOff = (error: unknown): boolean => /^(40|55|57014)/.test(sqlState(error) ?? '')

/** The same write may succeed in a moment: it was put off, or the server is away. */
export const isTransient = (error: unknown): boolean => isConnectionTrouble(error) || isPutOff(error)
