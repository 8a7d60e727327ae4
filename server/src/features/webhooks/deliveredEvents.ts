// What became of the events of a run at each receiver, for its evidence bundle.
import type { Sql } from '../../base/db.ts'
import type { EvidencePart } from '../../kit/evidence.ts'

/** How many rows of events are looked up at a time. */
const batchesAtOnce = 20

export const deliveredEvents: EvidencePart = {
  name: 'deliveries',
  scope: 'webhooks:manage',
  async *files({ sql, runId }) {
    yield { path: 'deliveries.jsonl', rows: lines(sql, runId) }
  },
}

/** In the order of the events, each with all of its receivers. */
async function* lines(sql: Sql, runId: string): AsyncGenerator<string> {
  let page: { last: number; lines: string[] }[] = []
  do {
    page = await sql<{ last: number; lines: string[] }>`
      select e.last::int as last, array(
        select json_build_object('id', d.id, 'event_id', d.event_id, 'event', d.event, 'url', t.url, 'status', d.state, 'attempts', d.attempts,
          'log', d.log, 'reason', d.reason, 'created_at', iso(d.created_at), 'settled_at', iso(d.settled_at))::text
        from (
          select id, target_id, event_id, event, state, attempts, log, reason, created_at, settled_at from deliveries
          where run_id = ${runId} and event_id between e.id and event_id(e.id, length(e.kinds) - 1)
          union all
          select id, target_id, event_id, event, state, attempts, log, reason, created_at, settled_at from delivery_places where batch_id = e.id
        ) d join delivery_targets t on t.id = d.target_id order by d.event_id, d.target_id) as lines
      from (
        select id, last, kinds from event_batches where run_id = ${runId} and last > ${page.at(-1)?.last ?? 0} order by last limit ${batchesAtOnce}
      ) e order by e.last`
    for (const { lines: ofBatch } of page) yield* ofBatch
  } while (page.length === batchesAtOnce)
}
