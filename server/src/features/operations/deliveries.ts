// The tool operations_deliveries: what was delivered to webhooks and callbacks, and what still waits.
import { one } from '../../base/db.ts'
import { usageOf } from '../../engine/counting/usage.ts'
import { Type } from '../../kit/schema.ts'
import { figures, firstRows, sumOf } from './answer.ts'
import { readTargets, type Target } from './deliveryTargets.ts'
import { dayOf, earliest, oldestWaiting } from './span.ts'

const dayMs = 86_400_000

export const operationsDeliveries = figures({
  name: 'operations_deliveries',
  description:
    'Read this team’s deliveries to webhooks and to callbacks of runs, as they are now. `rows` has one flat object for each webhook, and one for ' +
    'all callbacks to a host, those with trouble first: {target, kind, active, delivered_today, waiting, retrying, dead, oldest_waiting_at, ' +
    'oldest_waiting_s}. target is the host of the URL. delivered_today: deliveries of today’s events (UTC) that were accepted; null where more than ' +
    '20,000 were made today. waiting: not tried yet. retrying: tried, and due again. dead: given up. `states` adds up all targets: {state, ' +
    'deliveries}. `totals.delivered_today` counts what was accepted today, also of earlier events. At most 500 rows; left_out says how many more ' +
    'targets there are.',
  input: Type.Object({}, { additionalProperties: false }),
  async read({ sql, teamId, now }) {
    const today = new Date(Math.floor(now.getTime() / dayMs) * dayMs)
    const tomorrow = new Date(today.getTime() + dayMs)
    const targets = byHost(await readTargets(sql, teamId, today))
    const accepted = await one(sql<{ deliveries: number }>`
      select coalesce(sum(deliveries), 0)::bigint as deliveries
      from (${usageOf(teamId, { since: dayOf(today), until: dayOf(tomorrow) })}) used`)
    const totals = {
      delivered_today: accepted.deliveries,
      waiting: sumOf(targets, (row) => row.waiting),
      retrying: sumOf(targets, (row) => row.retrying),
      dead: sumOf(targets, (row) => row.dead),
    }
    const oldest = earliest(targets.map(({ oldest_waiting_at }) => oldest_waiting_at))
    return {
      at: now.toISOString(),
      time_zone: 'UTC',
      ...firstRows(targets.map((row) => ({ ...row, ...oldestWaiting(row.oldest_waiting_at, now) }))),
      states: Object.entries(totals).map(([state, deliveries]) => ({ state, deliveries })),
      totals: { ...totals, ...oldestWaiting(oldest, now) },
    }
  },
})

type Row = Omit<Target, 'url'> & { target: string }

/** One row for all callbacks to a host: each run may have a URL of its own. */
export function byHost(targets: Target[]): Row[] {
  const rows: Row[] = []
  const hosts = new Map<string, Row>()
  for (const { url, ...found } of targets) {
    const target = hostOf(url)
    const known = found.kind === 'callback' ? hosts.get(target) : undefined
    if (known) add(known, found)
    else {
      const row = { target, ...found }
      rows.push(row)
      if (found.kind === 'callback') hosts.set(target, row)
    }
  }
  return rows.toSorted((a, b) => troubleOf(b) - troubleOf(a) || (a.target < b.target ? -1 : 1))
}

export const troubleOf = ({ dead, retrying }: Row): number => dead + retrying

function add(row: Row, more: Omit<Target, 'url'>): void {
  row.waiting += more.waiting
  row.retrying += more.retrying
  row.dead += more.dead
  row.delivered_today =
    row.delivered_today === null || more.delivered_today === null ? null : row.delivered_today + more.delivered_today
  row.oldest_waiting_at = earliest([row.oldest_waiting_at, more.oldest_waiting_at])
}

/** The path and the query of a URL may hold a secret, so figures show the host alone. */
const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : 'unknown')
