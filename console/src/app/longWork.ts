// Long work over many things, one after the other: it says how far it is, can be stopped, and goes on after a reload. Each thing is done once:
// the key of a call is made from the work and the thing, so the service knows a repetition.
import type { CallOptions } from '@runyard/sdk'

/** One kind of work. It is found again by its name after a reload, so what it does cannot be a function of a screen. */
export interface WorkKind {
  /** While it goes on: `Stopping runs`. */
  doing: string
  /** When it is over: `40 runs stopped`. */
  done: (count: number) => string
  /** Does one thing. Without it, reading the pages is all the work. */
  each?: (item: string, input: unknown, options: CallOptions) => Promise<unknown>
  /** The next things, for work over everything that fits. Not called again after a page without `next`. */
  page?: (input: unknown, cursor: string | undefined, options: CallOptions) => Promise<WorkPage>
  /** Beginnings of keys of queries that are old when it is over. */
  changes?: string[]
  /** The texts of the pages become a file. */
  file?: { name: string; type: string }
}

export interface WorkPage {
  items: string[]
  next?: string | undefined
  /** How many there are in all, if that is known. */
  total?: number | undefined
  /** The next part of the file. */
  text?: string
}

export interface Work {
  id: string
  kind: string
  input: unknown
  /** Who wants it: nobody else goes on with it. */
  member: string
  /** Undefined while nobody knows it. */
  total: number | undefined
  /** Those that are known and not done yet. */
  left: string[]
  /** Where the next page begins; null: there is none. */
  cursor: string | null | undefined
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
}

export interface WorkProblem {
  item: string
  says: string
}

/** What the engine needs from around it, so that tests can give it others. */
export interface WorkAround {
  kinds: Record<string, WorkKind>
  store: Pick<Storage, 'getItem' | 'setItem'> | undefined
  now: () => number
  newId: () => string
  /** Resolves early when it is stopped. */
  pause: (ms: number, signal: AbortSignal) => Promise<void>
  /** Whether it may pass when it is tried again. */
  mayPass: (error: unknown) => boolean
  says: (error: unknown) => string
  /** Whether nothing more can be done as this person. */
  isOver: (error: unknown) => boolean
  addToFile: (work: string, page: number, text: string) => Promise<void>
  dropFile: (work: string) => Promise<void>
  onEnd: (work: Work, kind: WorkKind) => void
}

/** It was stopped while it waited: what was under way is still to be done. */
class Stopped extends Error {}

const place = 'runyard.work'
const atOnce = 4
const problemsMax = 20
/** How often the state is written down at most: a repetition of what was done in between changes nothing. */
const keepEveryMs = 400
const waitsMs = [1000, 2000, 5000, 10_000, 30_000]

export class LongWork {
  #works: Work[] = []
  #keptAt = 0
  readonly #around: WorkAround
  readonly #listeners = new Set<() => void>()
  readonly #stops = new Map<string, AbortController>()

  constructor(around: WorkAround) {
    this.#around = around
  }

  get works(): Work[] {
    return this.#works
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** With `items`, over these; without, over the pages of its kind. */
  start(
    kind: string,
    member: string,
    { items, input, total }: { items?: string[]; input?: unknown; total?: number },
  ): string {
    const { now, newId, kinds } = this.#around
    const pages = kinds[kind]?.page
    const work: Work = {
      id: newId(),
      kind,
      input: input ?? null,
      member,
      total: items?.length ?? total,
      left: items ?? [],
      cursor: items || !pages ? null : undefined,
      pages: 0,
      done: 0,
      failed: 0,
      problems: [],
      state: 'running',
      pace: { at: now(), done: 0 },
    }
    this.#set([...this.#works, work])
    this.keep()
    void this.#go(work.id)
    return work.id
  }

  /** After a reload: goes on with what this person began. */
  resume(member: string): void {
    if (this.#works.length > 0) return
    const found = readWorks(this.#around.store?.getItem(place) ?? null).filter(
      (work) => work.member === member && Object.hasOwn(this.#around.kinds, work.kind),
    )
    this.#set(found)
    for (const { id, state } of found) if (state === 'running') this.continue(id)
  }

  stop(id: string): void {
    this.#change(id, (work) => (work.state === 'running' ? { state: 'stopped' } : {}))
    this.#stops.get(id)?.abort()
    this.keep()
  }

  continue(id: string): void {
    this.#change(id, ({ done, failed }) => ({
      state: 'running',
      waits: undefined,
      pace: { at: this.#around.now(), done: done + failed },
    }))
    // one that is just stopping ends by itself first
    if (!this.#stops.has(id)) void this.#go(id)
  }

  /** Takes it out of the list; one that is running is stopped. */
  dismiss(id: string): void {
    this.stop(id)
    this.#set(this.#works.filter((work) => work.id !== id))
    this.keep()
    void this.#around.dropFile(id)
  }

  /** Writes the state down. */
  keep(): void {
    this.#keptAt = this.#around.now()
    this.#around.store?.setItem(place, JSON.stringify(this.#works))
  }

  #set(works: Work[]): void {
    this.#works = works
    for (const listener of this.#listeners) listener()
  }

  #find = (id: string): Work | undefined => this.#works.find((work) => work.id === id)

  #change(id: string, change: (work: Work) => Partial<Work>): void {
    this.#set(this.#works.map((work) => (work.id === id ? { ...work, ...change(work) } : work)))
    if (this.#around.now() - this.#keptAt > keepEveryMs) this.keep()
  }

  async #go(id: string): Promise<void> {
    const stop = new AbortController()
    this.#stops.set(id, stop)
    try {
      while (this.#find(id)?.state === 'running') {
        if (await this.#step(id, stop.signal)) continue
        this.#change(id, () => ({ state: 'ended', waits: undefined }))
      }
    } catch (error) {
      if (!(error instanceof Stopped)) this.#giveUp(id, error)
    } finally {
      this.#stops.delete(id)
      this.keep()
    }
    const work = this.#find(id)
    // somebody wants it to go on again
    if (work?.state === 'running') return this.#go(id)
    const kind = work && this.#around.kinds[work.kind]
    if (work && kind) this.#around.onEnd(work, kind)
  }

  /** A page could not be read, or the person was signed out. */
  #giveUp(id: string, error: unknown): void {
    const problem = { item: '', says: this.#around.says(error) }
    this.#change(id, ({ problems }) => ({ state: 'stopped', waits: undefined, problems: [...problems, problem] }))
  }

  /** False: there is nothing left. */
  async #step(id: string, signal: AbortSignal): Promise<boolean> {
    const work = this.#find(id)
    const kind = work && this.#around.kinds[work.kind]
    if (!work || !kind) return false
    if (work.left.length > 0) await this.#doSome(work, kind, signal)
    else if (work.cursor !== null && kind.page) await this.#turnPage(work, kind.page, signal)
    else return false
    return true
  }

  async #turnPage(work: Work, read: NonNullable<WorkKind['page']>, signal: AbortSignal): Promise<void> {
    const { id, input, cursor, pages } = work
    const page = await this.#steadily(id, signal, () => read(input, cursor ?? undefined, {}))
    if (page.text !== undefined) await this.#around.addToFile(id, pages, page.text)
    const hasEach = this.#around.kinds[work.kind]?.each !== undefined
    this.#change(id, (now) => ({
      cursor: page.next ?? null,
      pages: pages + 1,
      total: now.total ?? page.total,
      left: hasEach ? page.items : [],
      done: now.done + (hasEach ? 0 : page.items.length),
    }))
  }

  async #doSome({ id, input, left }: Work, { each }: WorkKind, signal: AbortSignal): Promise<void> {
    const items = left.slice(0, atOnce)
    const outcomes = await Promise.all(
      items.map(async (item): Promise<WorkProblem | undefined> => {
        try {
          await this.#steadily(id, signal, async () => each?.(item, input, { idempotencyKey: `${id}:${item}` }))
          return undefined
        } catch (error) {
          if (error instanceof Stopped || this.#around.isOver(error)) throw error
          return { item, says: this.#around.says(error) }
        }
      }),
    )
    const problems = outcomes.filter((outcome) => outcome !== undefined)
    this.#change(id, (work) => ({
      left: work.left.slice(items.length),
      done: work.done + items.length - problems.length,
      failed: work.failed + problems.length,
      problems: [...work.problems, ...problems].slice(0, problemsMax),
    }))
  }

  /** A service that is away for a while does not end the work. */
  async #steadily<T>(id: string, signal: AbortSignal, call: () => Promise<T>): Promise<T> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        const answer = await call()
        if (this.#find(id)?.waits !== undefined) this.#change(id, () => ({ waits: undefined }))
        return answer
      } catch (error) {
        if (!this.#around.mayPass(error)) throw error
        if (signal.aborted) throw new Stopped('stopped', { cause: error })
        this.#change(id, () => ({ waits: this.#around.says(error) }))
        await this.#around.pause(waitsMs[Math.min(attempt, waitsMs.length - 1)] ?? 0, signal)
        if (signal.aborted) throw new Stopped('stopped', { cause: error })
      }
    }
  }
}

/** What is kept may be of an older page, or of a stranger: what does not look like work is left out. */
function readWorks(kept: string | null): Work[] {
  try {
    const found: unknown = JSON.parse(kept ?? '[]')
    return Array.isArray(found) ? found.filter(isWork) : []
  } catch {
    return []
  }
}

const isWork = (value: unknown): value is Work => {
  const { id, kind, member, left, problems, state, done, failed, pages } = (value ?? {}) as Partial<
    Record<string, unknown>
  >
  return (
    [id, kind, member, state].every((one) => typeof one === 'string') &&
    [done, failed, pages].every((one) => typeof one === 'number') &&
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
