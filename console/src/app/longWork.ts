// Long work over many things, one after the other: it says how far it is, can be stopped, and continues after a reload. Each thing is done once:
// the key of a call is made from the work and the thing, so the service knows a repetition. All tabs of a browser show the same work; one of
// them does it, and when that one is closed or killed another one continues, or the next that is opened.
import type { CallOptions } from '@runyard/sdk'
import { readWork, type Work, type WorkProblem, type WorkStore } from './workRecord.ts'

/** One kind of work. It is found again by its name after a reload, so what it does cannot be a function of a screen. */
export interface WorkKind {
  /** While it works: `Stopping runs`. */
  doing: string
  /** When it is over: `40 runs stopped`. */
  done: (count: number) => string
  /** Does one thing. Without it, reading the pages is all the work. What takes long ends early by `signal`: it is done when the work continues. */
  each?: (item: string, input: unknown, options: CallOptions, signal: AbortSignal) => Promise<unknown>
  /** How many things one item stands for; one unless given. */
  size?: (item: string) => number
  /** The next things, for work over everything that fits. Not called again after a page without `next`. */
  page?: (input: unknown, cursor: string | undefined) => Promise<WorkPage>
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

/** What work is over: everything that its kind finds for `input`. */
export interface WorkOver {
  input?: unknown
  total?: number
  /** The same words for the same work, whenever it is begun; the input itself unless given. */
  over?: string
  /** For work whose files are kept before it begins. */
  id?: string
}

/** What the engine needs from around it, so that tests can give it others. */
export interface WorkAround {
  kinds: Record<string, WorkKind>
  store: WorkStore | undefined
  /** Calls it while no other tab does this work; waits for the end of the one that does. */
  hold: (id: string, task: () => Promise<void>) => Promise<void>
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

const atOnce = 4
const problemsMax = 20
/** How often the state is written down at most: a repetition of what was done in between changes nothing. */
const keepEveryMs = 400
/** Work that nobody continued for longer waits for a person: who comes back the next day does not expect it. */
const resumedWithinMs = 3_600_000
const waitsMs = [1000, 2000, 5000, 10_000, 30_000]

export class LongWork {
  #works: Work[] = []
  #member: string | undefined
  readonly #around: WorkAround
  readonly #listeners = new Set<() => void>()
  /** Those that this tab does now. */
  readonly #stops = new Map<string, AbortController>()
  /** Those that it does or is ready to take over. */
  readonly #engaged = new Set<string>()

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

  /** With `items`, over these; without, over the pages of its kind. The same work is not begun twice. */
  start(
    kind: string,
    member: string,
    { items, input, total, id, over = JSON.stringify(items ?? input) }: WorkOver & { items?: string[] },
  ): string {
    const { now, newId, kinds } = this.#around
    const same = this.#works.find((work) => work.kind === kind && work.over === over && work.state !== 'ended')
    if (same) {
      if (same.state === 'stopped') this.continue(same.id)
      return same.id
    }
    const pages = kinds[kind]?.page
    const work: Work = {
      id: id ?? newId(),
      kind,
      input: input ?? null,
      over,
      member,
      total: total ?? items?.length,
      left: items ?? [],
      cursor: items || !pages ? null : undefined,
      pages: 0,
      done: 0,
      failed: 0,
      problems: [],
      state: 'running',
      pace: { at: now(), done: 0 },
      keptAt: now(),
    }
    this.#set([...this.#works, work])
    this.#keep(work.id)
    void this.#go(work.id)
    return work.id
  }

  /** After a reload: shows what this person began, and continues what no other tab does. */
  resume(member: string): void {
    this.#member = member
    const { store, now } = this.#around
    for (const id of store?.ids() ?? []) {
      const work = readWork(store?.read(id) ?? null)
      if (work?.state === 'running' && now() - work.keptAt > resumedWithinMs)
        store?.write(id, JSON.stringify({ ...work, state: 'stopped' }))
      this.heard(id)
    }
  }

  /** Another tab has written about a work, or taken it out of the list. */
  heard(id: string): void {
    const work = readWork(this.#around.store?.read(id) ?? null)
    if (work && (work.member !== this.#member || !Object.hasOwn(this.#around.kinds, work.kind))) return
    const stop = this.#stops.get(id)
    if (stop && work?.state === 'running') return
    if (stop && work) return this.stop(id)
    stop?.abort()
    const isNew = this.#find(id) === undefined
    if (!work) this.#set(this.#works.filter((one) => one.id !== id))
    else this.#set(isNew ? [...this.#works, work] : this.#works.map((one) => (one.id === id ? work : one)))
    if (work?.state === 'running') void this.#go(id)
  }

  stop(id: string): void {
    this.#change(id, (work) => (work.state === 'running' ? { state: 'stopped' } : {}))
    this.#stops.get(id)?.abort()
    this.#keep(id)
  }

  continue(id: string): void {
    this.#change(id, ({ done, failed }) => ({
      state: 'running',
      waits: undefined,
      pace: { at: this.#around.now(), done: done + failed },
    }))
    this.#keep(id)
    void this.#go(id)
  }

  /** Takes it out of the list; one that is running is stopped. */
  dismiss(id: string): void {
    this.stop(id)
    this.#set(this.#works.filter((work) => work.id !== id))
    this.#around.store?.remove(id)
    void this.#around.dropFile(id)
  }

  /** Writes down how far this tab has come. */
  keep(): void {
    for (const id of this.#stops.keys()) this.#keep(id)
  }

  #keep(id: string): void {
    this.#set(this.#works.map((work) => (work.id === id ? { ...work, keptAt: this.#around.now() } : work)))
    const work = this.#find(id)
    if (work) this.#around.store?.write(id, JSON.stringify(work))
  }

  #set(works: Work[]): void {
    this.#works = works
    for (const listener of this.#listeners) listener()
  }

  #find = (id: string): Work | undefined => this.#works.find((work) => work.id === id)

  #change(id: string, change: (work: Work) => Partial<Work>): void {
    this.#set(this.#works.map((work) => (work.id === id ? { ...work, ...change(work) } : work)))
    const work = this.#find(id)
    if (work && this.#stops.has(id) && this.#around.now() - work.keptAt > keepEveryMs) this.#keep(id)
  }

  async #go(id: string): Promise<void> {
    if (this.#engaged.has(id)) return
    this.#engaged.add(id)
    try {
      await this.#around.hold(id, () => this.#run(id))
    } finally {
      this.#engaged.delete(id)
    }
    // somebody wants it to continue
    if (this.#find(id)?.state === 'running') await this.#go(id)
  }

  async #run(id: string): Promise<void> {
    const { store, kinds, onEnd } = this.#around
    // another tab may have come further, or ended it
    const kept = store && readWork(store.read(id))
    if (store && !kept) this.#set(this.#works.filter((work) => work.id !== id))
    else if (kept) this.#change(id, () => kept)
    if (this.#find(id)?.state !== 'running') return
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
      this.#keep(id)
    }
    const work = this.#find(id)
    const kind = work && kinds[work.kind]
    if (work && kind && work.state !== 'running') onEnd(work, kind)
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
    const page = await this.#steadily(id, signal, () => read(input, cursor ?? undefined))
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

  async #doSome({ id, input, left }: Work, { each, size = () => 1 }: WorkKind, signal: AbortSignal): Promise<void> {
    const items = left.slice(0, atOnce)
    const outcomes = await Promise.all(
      items.map(async (item): Promise<WorkProblem | undefined> => {
        try {
          await this.#steadily(id, signal, async () => each?.(item, input, { idempotencyKey: `${id}:${item}` }, signal))
          return undefined
        } catch (error) {
          if (error instanceof Stopped || this.#around.isOver(error)) throw error
          if (signal.aborted && error === signal.reason) throw new Stopped('stopped', { cause: error })
          return { item, says: this.#around.says(error) }
        }
      }),
    )
    const problems = outcomes.filter((outcome) => outcome !== undefined)
    const all = items.reduce((sum, item) => sum + size(item), 0)
    const failed = problems.reduce((sum, { item }) => sum + size(item), 0)
    this.#change(id, (work) => ({
      left: work.left.slice(items.length),
      done: work.done + all - failed,
      failed: work.failed + failed,
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
