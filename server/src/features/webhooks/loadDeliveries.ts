// Loads what is to be sent to the targets of this process: what is new, and what is due to be sent again.
import { loadBatches } from './deliveryBatches.ts'
import * as rows from './deliveryRows.ts'
import type { Loaded } from './deliveryRows.ts'
import type { DeliveryState } from './deliveryState.ts'
import { isFreshShort, isPaused, remember, writtenGoneRuns, type Outbox } from './outbox.ts'
import { sendAll } from './sendOne.ts'
import { signingKeysOf } from './signingKeys.ts'

/** How many deliveries of a target are loaded at once, and how many of a target whose last ones were small. */
const loadedMax = 64
const smallMax = 256
const smallCharacters = 2048

/** Loads new deliveries for every target that has room for more; then sends what may be sent. */
export async function loadNew(state: DeliveryState): Promise<void> {
  const now = new Date()
  const wanting = [...state.outboxes.values()].filter((outbox) => isFreshShort(outbox) && !isPaused(outbox.target, now))
  if (wanting.length === 0) return sendAll(state)
  const gone = new Map(wanting.map((outbox) => [outbox, writtenGoneRuns(outbox)]))
  // keys that are not known are read at the same time
  for (const { target } of wanting) void signingKeysOf(state, target.team_id)
  // at the same time: a team that is told of something does not wait for two answers
  const [own, inBatches] = await Promise.all([
    loadRows(
      state,
      wanting.filter(({ hasMoreRows }) => hasMoreRows),
    ),
    loadFromBatches(state, wanting),
  ])
  for (const outbox of wanting) {
    takeRows(outbox, own.get(outbox.target.id) ?? [])
    // whose rows are not all loaded gets its batches later: they are newer
    if (!outbox.hasMoreRows) takeFromBatches(outbox, inBatches.get(outbox.target.id) ?? [])
    for (const runId of gone.get(outbox)!) outbox.goneRuns.delete(runId)
  }
  sendAll(state)
}

type ByTarget = Map<string, Loaded[]>

/** Loads those that are rows of their own: tests, and what the version before has left. */
async function loadRows({ context }: DeliveryState, wanting: Outbox[]): Promise<ByTarget> {
  if (wanting.length === 0) return new Map()
  const loaded = await rows.loadNew(context.db.sql, idsOf(wanting), knownRows(wanting), loadedMax)
  return Map.groupBy(loaded, ({ target_id }) => target_id)
}

function takeRows(outbox: Outbox, some: Loaded[]): void {
  outbox.hasMoreRows = some.length === loadedMax
  for (const delivery of some) remember(outbox, delivery, outbox.fresh)
}

async function loadFromBatches({ context }: DeliveryState, wanting: Outbox[]): Promise<ByTarget> {
  const wanted = wanting.map((outbox) => ({
    targetId: outbox.target.id,
    max: maxOf(outbox),
    known: [...new Set([...outbox.known.values()].flatMap(({ batch }) => batch?.n ?? []))],
  }))
  return Map.groupBy(await loadBatches(context.db.sql, wanted), ({ target_id }) => target_id)
}

function takeFromBatches(outbox: Outbox, some: Loaded[]): void {
  outbox.hasMore = some.length >= maxOf(outbox)
  outbox.isSmall = some.length > 0 && some.every(({ data }) => data.length <= smallCharacters)
  outbox.loadedInPart = some.findLast(({ batch }) => batch!.isInPart)?.batch!.n
  for (const delivery of some) remember(outbox, delivery, outbox.fresh)
}

const maxOf = ({ isSmall }: Outbox): number => (isSmall ? smallMax : loadedMax)

const idsOf = (outboxes: Outbox[]): string[] => outboxes.map(({ target }) => target.id)

const knownRows = (outboxes: Outbox[]): string[] =>
  outboxes.flatMap(({ known }) => [...known.values()].flatMap(({ id, batch }) => (batch ? [] : [id])))

/** Loads retries and replays for each of these targets that has none of them in memory; then sends what may be sent. */
export async function loadDue(state: DeliveryState, among: Iterable<Outbox>): Promise<void> {
  const { context, process, outboxes } = state
  const wanting = [...among].filter(({ retries, replays }) => retries.length + replays.length === 0)
  if (wanting.length === 0) return
  const ids = idsOf(wanting)
  const due = await rows.loadDue(context.db.sql, ids, knownRows(wanting), loadedMax)
  const byTarget = Map.groupBy(due, ({ target_id }) => target_id)
  for (const id of ids) {
    const outbox = outboxes.get(id)
    if (outbox) outbox.hasMoreDue = (byTarget.get(id)?.length ?? 0) >= loadedMax
  }
  for (const delivery of due) {
    const outbox = outboxes.get(delivery.target_id)
    if (outbox) remember(outbox, delivery, delivery.state === 'retrying' ? outbox.retries : outbox.replays)
  }
  const withoutDue = ids.filter((id) => !byTarget.has(id) && outboxes.has(id))
  if (withoutDue.length > 0) await rows.updateRetryTimes(context.db, process.id, withoutDue)
  sendAll(state)
}
