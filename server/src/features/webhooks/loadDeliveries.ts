// Loads what is to be sent to the targets of this process: what is new, and what is due to be sent again.
import * as rows from './deliveryRows.ts'
import type { DeliveryState } from './deliveryState.ts'
import { isFreshShort, isPaused, remember } from './outbox.ts'
import { sendAll } from './sendOne.ts'
import { signingKeysOf } from './signingKeys.ts'

/** How many deliveries of a target are loaded at once. */
const loadedMax = 64

/** Loads new deliveries for every target that has room for more; then sends what may be sent. */
export async function loadNew(state: DeliveryState): Promise<void> {
  const now = new Date()
  const wanting = [...state.outboxes.values()].filter((outbox) => isFreshShort(outbox) && !isPaused(outbox.target, now))
  if (wanting.length === 0) return sendAll(state)
  // keys that are not known are read at the same time
  for (const { target } of wanting) void signingKeysOf(state, target.team_id)
  const loaded = await rows.loadNew(
    state.context.db.sql,
    wanting.map(({ target }) => target.id),
    wanting.flatMap(({ known }) => [...known]),
    loadedMax,
  )
  const byTarget = Map.groupBy(loaded, ({ target_id }) => target_id)
  for (const outbox of wanting) {
    const some = byTarget.get(outbox.target.id) ?? []
    outbox.hasMore = some.length === loadedMax
    for (const delivery of some) remember(outbox, delivery, outbox.fresh)
  }
  sendAll(state)
}

/** Loads retries and replays for every target that has none of them in memory; then sends what may be sent. */
export async function loadDue(state: DeliveryState): Promise<void> {
  const { context, process, outboxes } = state
  const wanting = [...outboxes.values()].filter(({ retries, replays }) => retries.length + replays.length === 0)
  if (wanting.length === 0) return
  const ids = wanting.map(({ target }) => target.id)
  const known = wanting.flatMap((outbox) => [...outbox.known])
  const due = await rows.loadDue(context.db.sql, ids, known, loadedMax)
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
  if (withoutDue.length > 0) await rows.updateRetryTimes(context.db.sql, process.id, withoutDue)
  sendAll(state)
}
