// The apply lane: changes of many held runs in one commit, with the effects of their inside calls in the same transaction.
import type { Sql } from '../../base/db.ts'
import { isConnectionTrouble, sqlState } from '../../base/db.ts'
import type { Context } from '../../kit/context.ts'
import type { Begun, Outcome, ToolCall } from '../../kit/tool.ts'
import { zip } from '../../base/zip.ts'
import { applyChanges, type Applied, type FreedSlots } from './apply.ts'
import { addMessage, type Change } from './change.ts'
import { createLane, TryAlone, type LaneWatch } from '../../kit/lane.ts'
import type { ToolRegistry } from '../builds/toolRegistry.ts'

/** A call of our own database, made in the transaction of the change that records it. */
export type Effect =
  | { kind: 'inside'; tool: string; call: ToolCall<never>; record: (change: Change, outcome: Outcome) => void }
  | {
      kind: 'begin'
      begin: (sql: Sql) => Promise<Begun | Outcome>
      record: (change: Change, begun: Begun | Outcome) => void
    }

/** The end of a run that joins the change whose results lead to it. */
export interface Ending {
  /** The last text of the model, in a turn of its own; null: it says nothing more. */
  text: string | null
  move: NonNullable<Change['move']>
}

/** Resolves to null when the run continues. `wakeSeq` is the run's wake number as it is now. */
export type PlanEnding = (wakeSeq: number) => Promise<Ending | null>

export interface Write {
  change: Change
  effects: Effect[]
  /** The run's wake number as its holder knows it. */
  wakeSeen: number
  /** Called when the effects have happened and before anything is written: the run may end with this very change. */
  planEnding?: PlanEnding
  /** What else belongs to the end of a run, in its transaction: its parent wakes, features do their part. */
  atEnd?: (sql: Sql, move: NonNullable<Change['move']>) => Promise<void>
  /** The run that wakes at its end. */
  parentRunId?: string
}

export interface ApplyLane {
  write(write: Write): Promise<Applied>
}

interface ApplyLaneOptions {
  context: Context
  toolRegistry: ToolRegistry
  /** Runs of a commit left their slots. */
  onFreed: (freed: FreedSlots[]) => void
  watch: LaneWatch
}

export function createApplyLane(options: ApplyLaneOptions): ApplyLane {
  // one at a time carries more: two only wait for each other at their agent's memory (measured: 43 % of the floor instead of 38 %)
  const lane = createLane<Write, Applied>({
    flush: (writes) => flush(options, writes),
    ...options.watch,
    keyOf: ({ change }) => change.runId,
    teamOf: ({ change }) => change.teamId,
    flushesMax: 1,
  })
  return { write: (write) => lane.add(write) }
}

type Flushed = Awaited<ReturnType<typeof applyChanges>>

const applyAll = (sql: Sql, writes: Write[]): Promise<Flushed> =>
  applyChanges(
    sql,
    writes.map(({ change }) => change),
  )

async function flush(options: ApplyLaneOptions, writes: Write[]): Promise<Applied[]> {
  const { db } = options.context
  const isPlain = writes.every(({ change, effects, atEnd }) => effects.length === 0 && !(change.move && atEnd))
  const { applied, freed } = isPlain
    ? await applyAll(db.sql, writes)
    : await db.transaction((sql) => flushWithEffects(options, sql, writes).catch(failAlone))
  if (freed.length > 0) options.onFreed(freed)
  return applied
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
  const copies = writes.map((write) => ({ ...write, change: copyOf(write.change) }))
  await takeEffect(options, sql, copies)
  for (const copy of copies) await addEnding(copy, copy.wakeSeen)
  const flushed = await applyAll(sql, copies)
  if (flushed.applied.some(({ outcome }) => outcome !== 'written')) throw new TryAlone()
  return flushed
}

async function flushLocked(options: ApplyLaneOptions, sql: Sql, writes: Write[]): Promise<Flushed> {
  const locked = new Map((await lockRuns(sql, writes)).map((run) => [run.id, run]))
  const outcomes = new Map<Write, Applied>()
  const able: { write: Write; copy: Write; wakeSeq: number }[] = []
  for (const write of writes) {
    const checked = checkHeld(write.change, locked.get(write.change.runId))
    if ('outcome' in checked) outcomes.set(write, checked)
    else able.push({ write, copy: { ...write, change: copyOf(write.change) }, wakeSeq: checked.wakeSeq })
  }
  const copies = able.map(({ copy }) => copy)
  await takeEffect(options, sql, copies)
  for (const { copy, wakeSeq } of able) await addEnding(copy, wakeSeq)
  const { applied, freed } = copies.length > 0 ? await applyAll(sql, copies) : { applied: [], freed: [] }
  for (const [{ write, copy }, result] of zip(able, applied)) {
    if (copy.change.move && result.outcome === 'written') await copy.atEnd?.(sql, copy.change.move)
    outcomes.set(write, result)
  }
  return { applied: writes.flatMap((write) => outcomes.get(write) ?? []), freed }
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

async function addEnding({ change, planEnding }: Write, wakeSeq: number): Promise<void> {
  const ending = await planEnding?.(wakeSeq)
  if (!ending) return
  const { text, move } = ending
  if (text) addMessage({ ...change, turn: change.turn + 1 }, { type: 'text', role: 'assistant', text_content: text })
  change.move = move
}

/** What the code of one write threw undoes the transaction of all, so it is tried without the others. */
function failAlone(error: unknown): never {
  const isOfDatabase = sqlState(error) !== undefined || isConnectionTrouble(error)
  throw isOfDatabase || error instanceof TryAlone ? error : new TryAlone('a write failed by itself', { cause: error })
}

/** Made again for every attempt: effects write into it, and an attempt that failed must leave no trace. */
const copyOf = (change: Change): Change => ({
  ...change,
  messages: [...change.messages],
  steps: [...change.steps],
  events: [...change.events],
})

interface Locked {
  id: string
  epoch: number
  wake_seq: number
}

/** With the parents of those that may end: they wake in this transaction, when its teams' rows are locked already, and runs come first. */
function lockRuns(sql: Sql, writes: Write[]): Promise<Locked[]> {
  const ids = writes.flatMap(({ change, planEnding, parentRunId }) =>
    parentRunId && (change.move || planEnding) ? [parentRunId, change.runId] : [change.runId],
  )
  return sql<Locked>`
    select id, epoch, wake_seq from runs where id = any(${ids}::uuid[]) order by id for update`
}

/** Known before any effect: a fenced or woken change must not leave its effects behind. */
function checkHeld(change: Change, run: Locked | undefined): Applied | { wakeSeq: number } {
  if (run?.epoch !== change.epoch) return { outcome: 'fenced', wakeSeq: 0, messageBase: 0 }
  if (change.move && change.move.wakeSeen !== run.wake_seq) {
    return { outcome: 'woken', wakeSeq: run.wake_seq, messageBase: 0 }
  }
  return { wakeSeq: run.wake_seq }
}

/** The statement was refused for its content: its transaction is rolled back, and would be again. */
export const isRefused = (error: unknown): boolean => sqlState(error) !== undefined && !isTransient(error)

/** The same write may succeed in a moment: a deadlock, an unavailable lock, a slow statement, or a server that is away. */
export const isTransient = (error: unknown): boolean =>
  isConnectionTrouble(error) || /^(40|55|57014)/.test(sqlState(error) ?? '')
