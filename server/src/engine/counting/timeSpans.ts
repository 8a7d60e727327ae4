// A range of time cut into whole days and hours, which are counted, and what is left at its edges, where rows must be looked at.

interface Spans {
  days: Range
  /** Before and after the days. */
  hours: [Range, Range]
  /** All whole hours, those of the days included. */
  wholeHours: Range
  edges: [Edge, Edge]
}

/** Numbers of days or hours since 1970; the second one is not included. */
export type Range = [from: number, to: number]
export type Edge = [from: Date, to: Date]

const hourMs = 3_600_000
const none: Range = [0, 0]
const noEdge: Edge = [new Date(0), new Date(0)]
const [least, most] = [-2_147_483_648, 2_147_483_647]

/** Null: open at that end. */
export function spansOf(since: Date | null, until: Date | null): Spans {
  const from = since ? Math.ceil(since.getTime() / hourMs) : least
  const to = until ? Math.floor(until.getTime() / hourMs) : most
  if (since && until && from >= to) {
    const edge: Edge = since < until ? [since, until] : noEdge
    return { days: none, hours: [none, none], wholeHours: none, edges: [edge, noEdge] }
  }
  const edges: Spans['edges'] = [
    since ? [since, new Date(from * hourMs)] : noEdge,
    until ? [new Date(to * hourMs), until] : noEdge,
  ]
  const wholeHours: Range = [from, to]
  const firstDay = since ? Math.ceil(from / 24) : least
  const lastDay = until ? Math.floor(to / 24) : most
  if (firstDay >= lastDay) return { days: none, hours: [wholeHours, none], wholeHours, edges }
  const hours: Spans['hours'] = [since ? [from, firstDay * 24] : none, until ? [lastDay * 24, to] : none]
  return { days: [firstDay, lastDay], hours, wholeHours, edges }
}
