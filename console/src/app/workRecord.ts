// Long work as it is written down: enough to continue it after a reload, or in another tab.

export interface Work {
  id: string
  kind: string
  input: unknown
  /** What it is over, in words for machines: the same is not begun a second time while this is not over. */
  over: string
  /** Who wants it: nobody else continues it. */
  member: string
  /** Undefined while nobody knows it. */
  total?: number | undefined
  /** Those that are known and not done yet. */
  left: string[]
  /** Where the next page begins; null: there is none. */
  cursor?: string | null | undefined
  /** How many pages are in the file. */
  pages: number
  done: number
  failed: number
  /** The first ones, for a person to read. */
  problems: WorkProblem[]
  state: 'running' | 'stopped' | 'ended'
  /** Why it waits now. */
  waits?: string | undefined
  /** Since when, and from which count, its pace is reckoned. */
  pace: { at: number; done: number }
  /** When it was written down last. */
  keptAt: number
}

export interface WorkProblem {
  item: string
  says: string
}

/** Where works are kept, each by its id. All tabs of a browser see the same. */
export interface WorkStore {
  ids: () => string[]
  read: (id: string) => string | null
  write: (id: string, text: string) => void
  remove: (id: string) => void
}

/** What is kept may be of an older page, or of a stranger: what does not look like work is none. */
export function readWork(kept: string | null): Work | undefined {
  try {
    const found: unknown = JSON.parse(kept ?? 'null')
    return isWork(found) ? found : undefined
  } catch {
    return undefined
  }
}

const isWork = (value: unknown): value is Work => {
  const { id, kind, over, member, left, problems, state, done, failed, pages, keptAt, pace } = (value ?? {}) as Partial<
    Record<string, unknown>
  >
  return (
    [id, kind, over, member, state].every((one) => typeof one === 'string') &&
    [done, failed, pages, keptAt].every((one) => typeof one === 'number') &&
    typeof pace === 'object' &&
    pace !== null &&
    Array.isArray(left) &&
    left.every((one) => typeof one === 'string') &&
    Array.isArray(problems)
  )
}

export interface Pace {
  /** Undefined until it can be said. */
  perSecond: number | undefined
  leftMs: number | undefined
  /** From 0 to 1. */
  share: number | undefined
}

/** A pace after too short a time says nothing. */
const paceAfterMs = 1500

export function paceOf({ done, failed, total, pace }: Work, now: number): Pace {
  const over = done + failed
  const ms = now - pace.at
  const perSecond = ms >= paceAfterMs && over > pace.done ? ((over - pace.done) / ms) * 1000 : undefined
  const left = total === undefined ? undefined : Math.max(0, total - over)
  return {
    perSecond,
    leftMs: perSecond === undefined || left === undefined ? undefined : (left / perSecond) * 1000,
    share: total === undefined ? undefined : total === 0 ? 1 : Math.min(1, over / total),
  }
}
