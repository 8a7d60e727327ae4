// What the tools of operations answer for the queues and deliveries of a made-up team: the same figures each time.
import { sampleId, sampleNow } from './sampleTeam.ts'

const queues: [name: string, ages: number[], others: number[], oldestS: number | null][] = [
  ['Invoices', [38, 51, 24, 9, 2], [12, 4, 7, 18_240, 311], 4.2 * 86_400],
  ['Support mail', [44, 17, 6, 0, 0], [9, 2, 0, 9_871, 120], 17.5 * 3600],
  ['Contracts to read', [3, 8, 14, 21, 13], [4, 6, 11, 2_310, 95], 8.7 * 86_400],
  ['Data corrections', [6, 3, 1, 0, 0], [2, 0, 3, 4_512, 640], 5.4 * 3600],
  ['Refund requests', [0, 0, 0, 0, 0], [1, 1, 0, 1_204, 12], null],
]

const waitingSince = (seconds: number | null) => ({
  oldest_waiting_at: seconds === null ? null : new Date(sampleNow.getTime() - seconds * 1000).toISOString(),
  oldest_waiting_s: seconds,
})

const sum = (values: number[]): number => values.reduce((a, b) => a + b, 0)

export function sampleQueues() {
  const ageNames = ['< 1 h', '1–4 h', '4–24 h', '1–3 days', '> 3 days']
  const rows = queues.map(([queue, counts, others, oldest], n) => {
    const [under_1h = 0, under_4h = 0, under_1d = 0, under_3d = 0, older = 0] = counts
    const [in_progress = 0, needs_input = 0, postponed = 0, completed = 0, failed = 0] = others
    const pending = sum(counts)
    const states = {
      pending,
      in_progress,
      needs_input,
      postponed,
      completed,
      failed,
      open: pending + in_progress + needs_input + postponed,
    }
    return {
      queue_id: sampleId(100 + n),
      queue,
      ...states,
      under_1h,
      under_4h,
      under_1d,
      under_3d,
      older,
      ...waitingSince(oldest),
    }
  })
  const total = (
    column: Exclude<keyof (typeof rows)[number], 'queue_id' | 'queue' | 'oldest_waiting_at' | 'oldest_waiting_s'>,
  ) => sum(rows.map((row) => row[column]))
  return {
    at: sampleNow.toISOString(),
    time_zone: 'UTC',
    rows: rows.toSorted((a, b) => b.pending - a.pending),
    left_out: 0,
    ages: ageNames.map((age, n) => ({ age, cases: sum(queues.map(([, counts]) => counts[n] ?? 0)) })),
    totals: {
      queues: rows.length,
      pending: total('pending'),
      in_progress: total('in_progress'),
      needs_input: total('needs_input'),
      postponed: total('postponed'),
      completed: total('completed'),
      failed: total('failed'),
      open: total('open'),
      under_1h: total('under_1h'),
      under_4h: total('under_4h'),
      under_1d: total('under_1d'),
      under_3d: total('under_3d'),
      older: total('older'),
      ...waitingSince(8.7 * 86_400),
    },
    labels: [
      { queue: 'Invoices', label: 'supplier: new', open: 41, cases: 1_930 },
      { queue: 'Contracts to read', label: 'language: German', open: 33, cases: 840 },
      { queue: 'Support mail', label: 'topic: refund', open: 22, cases: 3_118 },
      { queue: 'Contracts to read', label: 'value: over 50k', open: 14, cases: 212 },
      { queue: 'Invoices', label: 'amount: over 10k', open: 9, cases: 405 },
    ],
  }
}

export function sampleDeliveries() {
  const calm = { kind: 'subscription', active: true, waiting: 0, retrying: 0, dead: 0, ...waitingSince(null) }
  const totals = { delivered_today: 1_862, waiting: 2, retrying: 7, dead: 3 }
  return {
    at: sampleNow.toISOString(),
    time_zone: 'UTC',
    rows: [
      { ...calm, target: 'erp.example.com', delivered_today: 702, retrying: 7, dead: 3, ...waitingSince(5_460) },
      { ...calm, target: 'hooks.example.com', delivered_today: 1_011, waiting: 2, ...waitingSince(1) },
      { ...calm, target: 'reports.example.com', kind: 'callback', delivered_today: 149 },
    ],
    left_out: 0,
    states: Object.entries(totals).map(([state, deliveries]) => ({ state, deliveries })),
    totals: { ...totals, ...waitingSince(5_460) },
  }
}
