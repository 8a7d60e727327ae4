// A cell as a queueing model: runs come at random, and each of their writes passes a Node process, a core of PostgreSQL and the log.
import { coresWorth, walBytesPerS, type Kind } from './measured.ts'
import { exponential, seeded, type Random } from './random.ts'

export interface Cell {
  postgresCores: number
  nodeProcesses: number
  /** From the beginning of a flush until everybody in it is answered. */
  flushUs: number
}

export interface Observed {
  perSecond: number
  /** What a run waits for the service, without what it waits for the world. */
  p50Ms: number
  p99Ms: number
  meanMs: number
  postgresBusy: number
  nodeBusy: number
  /** How many commits share a flush of the log. */
  commitsInFlush: number
}

interface Happening {
  at: number
  act: () => void
}

/** The next happening first: a binary heap. */
class Calendar {
  #heap: Happening[] = []

  add(happening: Happening): void {
    const heap = this.#heap
    let at = heap.push(happening) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (heap[parent]!.at <= happening.at) break
      heap[at] = heap[parent]!
      at = parent
    }
    heap[at] = happening
  }

  next(): Happening | undefined {
    const heap = this.#heap
    const first = heap[0]
    const last = heap.pop()
    if (heap.length === 0 || !last) return first
    let at = 0
    for (;;) {
      let child = at * 2 + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && heap[child + 1]!.at < heap[child]!.at) child += 1
      if (heap[child]!.at >= last.at) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = last
    return first
  }
}

/** Some servers with one waiting line before them. */
class Station {
  busyUs = 0
  #free: number
  readonly #waiting: { us: number; served: () => void }[] = []
  #head = 0
  readonly #after: (us: number, act: () => void) => void

  constructor(servers: number, after: (us: number, act: () => void) => void) {
    this.#free = servers
    this.#after = after
  }

  serve(us: number, served: () => void): void {
    if (this.#free === 0) {
      this.#waiting.push({ us, served })
      return
    }
    this.#free -= 1
    this.#begin(us, served)
  }

  #begin(us: number, served: () => void): void {
    this.busyUs += us
    this.#after(us, () => {
      const next = this.#waiting[this.#head]
      if (next) {
        this.#head += 1
        this.#begin(next.us, next.served)
      } else this.#free += 1
      served()
    })
  }
}

/** The log: whoever waits when a flush begins is in it, as PostgreSQL commits in groups. */
class Log {
  commits = 0
  flushes = 0
  #waiting: { bytes: number; served: () => void }[] = []
  #isFlushing = false
  readonly #after: (us: number, act: () => void) => void
  readonly #flushUs: number

  constructor(flushUs: number, after: (us: number, act: () => void) => void) {
    this.#flushUs = flushUs
    this.#after = after
  }

  write(bytes: number, served: () => void): void {
    this.#waiting.push({ bytes, served })
    if (!this.#isFlushing) this.#flush()
  }

  #flush(): void {
    const group = this.#waiting
    this.#waiting = []
    this.#isFlushing = true
    const us = this.#flushUs + (group.reduce((sum, { bytes }) => sum + bytes, 0) / walBytesPerS) * 1e6
    this.commits += group.length
    this.flushes += 1
    this.#after(us, () => {
      for (const { served } of group) served()
      if (this.#waiting.length > 0) this.#flush()
      else this.#isFlushing = false
    })
  }
}

interface Options {
  cell: Cell
  kind: Kind
  /** Runs that come each second. */
  perSecond: number
  runs: number
  seed: number
}

export function simulateCell({ cell, kind, perSecond, runs, seed }: Options): Observed {
  const random: Random = seeded(seed)
  const calendar = new Calendar()
  let now = 0
  const after = (us: number, act: () => void) => calendar.add({ at: now + us, act })
  const node = new Station(cell.nodeProcesses, after)
  const postgres = new Station(cell.postgresCores, after)
  const log = new Log(cell.flushUs, after)
  // more cores are each a little slower
  const postgresUs = (kind.postgresUs * cell.postgresCores) / coresWorth(cell.postgresCores)
  const warmUp = Math.floor(runs / 10)
  const took: number[] = []
  let startedAt = 0

  function write(left: number, begun: number, index: number): void {
    node.serve(exponential(random, kind.nodeUs / kind.writes), () =>
      postgres.serve(exponential(random, postgresUs / kind.writes), () =>
        log.write(kind.walBytes / kind.writes, () => {
          if (left > 1) write(left - 1, begun, index)
          else if (index >= warmUp) took.push(now - begun)
        }),
      ),
    )
  }
  function arrive(index: number): void {
    if (index === warmUp) startedAt = now
    write(kind.writes, now, index)
    if (index + 1 < runs) after(exponential(random, 1e6 / perSecond), () => arrive(index + 1))
  }
  arrive(0)
  for (let next = calendar.next(); next; next = calendar.next()) {
    now = next.at
    next.act()
  }
  const sorted = took.toSorted((a, b) => a - b)
  const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0) / 1000
  return {
    perSecond: (took.length / (now - startedAt)) * 1e6,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    meanMs: took.reduce((sum, us) => sum + us, 0) / took.length / 1000,
    postgresBusy: postgres.busyUs / now / cell.postgresCores,
    nodeBusy: node.busyUs / now / cell.nodeProcesses,
    commitsInFlush: log.commits / log.flushes,
  }
}

/** What a cell could do if nothing ever waited, in runs a second. */
export const ceilingOf = ({ postgresCores, nodeProcesses }: Cell, { postgresUs, nodeUs }: Kind): number =>
  Math.min((coresWorth(postgresCores) / postgresUs) * 1e6, (nodeProcesses / nodeUs) * 1e6)
