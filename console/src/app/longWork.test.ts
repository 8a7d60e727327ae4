// Long work: it does each thing once, waits for a service that is away, stops, and continues after a reload.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LongWork, type WorkAround, type WorkKind } from './longWork.ts'
import { paceOf, type Work } from './workRecord.ts'

class Away extends Error {}

interface Bench {
  work: LongWork
  /** Resolves when the work with this id is in the state. */
  until: (id: string, isThere: (work: Work) => boolean) => Promise<Work>
  files: Map<string, string[]>
  ended: string[]
}

function bench(
  kinds: Record<string, WorkKind>,
  store: Map<string, string>,
  { pause = async () => {}, hold = (_id, task) => task() }: Partial<Pick<WorkAround, 'pause' | 'hold'>> = {},
): Bench {
  const files = new Map<string, string[]>()
  const ended: string[] = []
  let ids = 0
  const work = new LongWork({
    kinds,
    store: {
      ids: () => [...store.keys()],
      read: (id) => store.get(id) ?? null,
      write: (id, text) => void store.set(id, text),
      remove: (id) => void store.delete(id),
    },
    hold,
    now: () => Date.now(),
    newId: () => `work${(ids += 1)}`,
    pause,
    mayPass: (error) => error instanceof Away,
    says: (error) => (error as Error).message,
    isOver: (error) => (error as Error).message === 'signed out',
    addToFile: async (id, page, text) => void (files.get(id) ?? files.set(id, []).get(id))?.splice(page, 1, text),
    dropFile: async (id) => void files.delete(id),
    onEnd: ({ id, state }) => void ended.push(`${id} ${state}`),
  })
  const until = (id: string, isThere: (one: Work) => boolean) =>
    new Promise<Work>((resolve) => {
      const look = () => {
        const found = work.works.find((one) => one.id === id)
        if (found && isThere(found)) resolve(found)
      }
      work.subscribe(look)
      look()
    })
  return { work, until, files, ended }
}

/** Waits until it is stopped. */
const waiting = (_ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve()))

const isEnded = ({ state }: Work): boolean => state === 'ended'
const ids = Array.from({ length: 11 }, (_, at) => `run${at}`)

void test('every item is done once, with a key of its own, and failures are listed', async () => {
  const keys: string[] = []
  const stop: WorkKind = {
    doing: 'Stopping',
    done: (count) => `${count} stopped`,
    each: async (item, _input, { idempotencyKey }) => {
      keys.push(idempotencyKey ?? '')
      if (item === 'run4') throw new Error('It has ended.')
    },
  }
  const { work, until, ended } = bench({ stop }, new Map())
  const { done, failed, problems, left } = await until(work.start('stop', 'me', { items: ids }), isEnded)
  assert.deepEqual([done, failed, left], [10, 1, []])
  assert.deepEqual(problems, [{ item: 'run4', says: 'It has ended.' }])
  assert.deepEqual(keys.toSorted(), ids.map((id) => `work1:${id}`).toSorted())
  await new Promise(setImmediate)
  assert.deepEqual(ended, ['work1 ended'])
})

void test('an item that stands for many things counts as many, done or failed', async () => {
  const add: WorkKind = {
    doing: 'Adding',
    done: String,
    size: (item) => Number(item.split(':')[1]),
    each: async (item) => {
      if (item === '1:100') throw new Error('A row is wrong.')
    },
  }
  const { work, until } = bench({ add }, new Map())
  const id = work.start('add', 'me', { items: ['0:100', '1:100', '2:7'], total: 207, id: 'kept before' })
  const { done, failed, total } = await until(id, isEnded)
  assert.deepEqual([id, done, failed, total], ['kept before', 107, 100, 207])
})

void test('work continues after a reload, and only for the person who began it', async () => {
  const store = new Map<string, string>()
  const gate = Promise.withResolvers<void>()
  const seen: string[] = []
  const kindOf = (held: Promise<void> | undefined): WorkKind => ({
    doing: 'Stopping',
    done: String,
    each: async (item) => {
      seen.push(item)
      if (seen.length > 4) await held
    },
  })
  const first = bench({ stop: kindOf(gate.promise) }, store)
  const id = first.work.start('stop', 'me', { items: ids })
  await first.until(id, ({ done }) => done === 4)
  first.work.keep()

  const stranger = bench({ stop: kindOf(undefined) }, store)
  stranger.work.resume('somebody else')
  assert.deepEqual(stranger.work.works, [])

  const second = bench({ stop: kindOf(undefined) }, store)
  second.work.resume('me')
  const { done, total } = await second.until(id, isEnded)
  assert.deepEqual([done, total], [11, 11])
  gate.resolve()
  // those that were under way are sent again with the same keys, which the service knows
  assert.deepEqual([...new Set(seen)].toSorted(), ids.toSorted())
  second.work.resume('me')
})

/** One lock for each work, as the browser has them: whoever asks waits for the end of the one before. */
function locks() {
  const tails = new Map<string, Promise<void>>()
  const dead = new Set<string>()
  const killed = new Map<string, () => void>()
  return {
    of:
      (tab: string): WorkAround['hold'] =>
      async (id, task) => {
        const before = tails.get(id) ?? Promise.resolve()
        const over = Promise.withResolvers<void>()
        tails.set(
          id,
          before.then(() => over.promise),
        )
        killed.set(tab, over.resolve)
        await before
        if (!dead.has(tab)) await task()
        over.resolve()
      },
    /** The browser frees what the tab held. */
    kill(tab: string) {
      dead.add(tab)
      killed.get(tab)?.()
    },
  }
}

void test('all tabs show the work, one does it, and when that one is killed another continues it', async () => {
  const store = new Map<string, string>()
  const tabs = locks()
  const seen: string[] = []
  const never = new Promise<void>(() => {})
  const kindOf = (tab: string, isHeld: () => boolean): WorkKind => ({
    doing: 'Stopping',
    done: String,
    each: async (item) => {
      seen.push(`${tab} ${item}`)
      if (isHeld()) await never
    },
  })
  const first = bench({ stop: kindOf('first', () => seen.length > 4) }, store, { hold: tabs.of('first') })
  const second = bench({ stop: kindOf('second', () => false) }, store, { hold: tabs.of('second') })
  first.work.resume('me')
  second.work.resume('me')
  const id = first.work.start('stop', 'me', { items: ids })
  await first.until(id, ({ done }) => done === 4)
  first.work.keep()
  second.work.heard(id)
  assert.equal((await second.until(id, () => true)).done, 4)
  await new Promise(setImmediate)
  assert.deepEqual(
    seen.filter((one) => one.startsWith('second')),
    [],
  )
  tabs.kill('first')
  const { done } = await second.until(id, isEnded)
  assert.equal(done, 11)
  // the four that were under way are sent again with the same keys, which the service knows
  assert.deepEqual(
    seen.filter((one) => one.startsWith('second')),
    ids.slice(4).map((item) => `second ${item}`),
  )
})

void test('a tab that does not do the work can stop it and take it out of the list', async () => {
  const store = new Map<string, string>()
  const stop: WorkKind = {
    doing: 'Stopping',
    done: String,
    each: () => Promise.reject(new Away('The service cannot be reached.')),
  }
  const tabs = locks()
  const first = bench({ stop }, store, { pause: waiting, hold: tabs.of('first') })
  const second = bench({ stop }, store, { pause: waiting, hold: tabs.of('second') })
  first.work.resume('me')
  const id = first.work.start('stop', 'me', { items: ids })
  await first.until(id, ({ waits }) => waits !== undefined)
  second.work.resume('me')
  second.work.stop(id)
  first.work.heard(id)
  await first.until(id, ({ state }) => state === 'stopped')
  second.work.dismiss(id)
  first.work.heard(id)
  assert.deepEqual([first.work.works, second.work.works, store.size], [[], [], 0])
})

void test('the same work is not begun twice until it is over', async () => {
  const gate = Promise.withResolvers<void>()
  const stop: WorkKind = { doing: 'Stopping', done: String, each: () => gate.promise }
  const { work, until } = bench({ stop }, new Map())
  const first = work.start('stop', 'me', { items: ids, over: 'all failed' })
  assert.equal(work.start('stop', 'me', { items: ids.slice(1), over: 'all failed' }), first)
  assert.notEqual(work.start('stop', 'me', { items: ids, over: 'all waiting' }), first)
  gate.resolve()
  await until(first, isEnded)
  assert.notEqual(work.start('stop', 'me', { items: ids, over: 'all failed' }), first)
})

void test('work that nobody continued for long waits for a person', async () => {
  const store = new Map<string, string>()
  const stop: WorkKind = { doing: 'Stopping', done: String, each: async () => {} }
  const first = bench({ stop }, store, { hold: () => new Promise(() => {}) })
  const id = first.work.start('stop', 'me', { items: ids })
  store.set(id, JSON.stringify({ ...JSON.parse(store.get(id) ?? ''), keptAt: Date.now() - 7_200_000 }))
  const second = bench({ stop }, store)
  second.work.resume('me')
  assert.deepEqual(
    second.work.works.map(({ state, done }) => [state, done]),
    [['stopped', 0]],
  )
  second.work.continue(id)
  assert.equal((await second.until(id, isEnded)).done, 11)
})

void test('a service that is away makes it wait, and stopping it loses nothing', async () => {
  let isAway = true
  const stop: WorkKind = {
    doing: 'Stopping',
    done: String,
    each: async () => {
      if (isAway) throw new Away('The service cannot be reached.')
    },
  }
  const { work, until } = bench({ stop }, new Map(), { pause: waiting })
  const id = work.start('stop', 'me', { items: ids })
  await until(id, ({ waits }) => waits === 'The service cannot be reached.')
  work.stop(id)
  const stopped = await until(id, ({ state }) => state === 'stopped')
  assert.deepEqual([stopped.done, stopped.failed, stopped.left.length], [0, 0, 11])
  isAway = false
  work.continue(id)
  assert.equal((await until(id, isEnded)).done, 11)
})

void test('whoever is signed out does nothing more', async () => {
  const stop: WorkKind = { doing: 'Stopping', done: String, each: () => Promise.reject(new Error('signed out')) }
  const { work, until } = bench({ stop }, new Map())
  const { failed, left, problems } = await until(
    work.start('stop', 'me', { items: ids }),
    ({ state }) => state === 'stopped',
  )
  assert.deepEqual([failed, left.length], [0, 11])
  assert.equal(problems[0]?.says, 'signed out')
})

void test('every page is read, and the texts of the pages become a file', async () => {
  const pages: Record<string, { items: string[]; next?: string }> = {
    begin: { items: ['a', 'b'], next: '2' },
    2: { items: ['c'] },
  }
  const write: WorkKind = {
    doing: 'Writing',
    done: String,
    page: async (_input, cursor = 'begin') => ({
      ...(pages[cursor] ?? { items: [] }),
      total: 3,
      text: `page ${cursor};`,
    }),
    file: { name: 'runs.csv', type: 'text/csv' },
  }
  const done: string[] = []
  const touch: WorkKind = { ...write, each: async (item) => void done.push(item) }
  const { work, until, files } = bench({ write, touch }, new Map())
  const written = await until(work.start('write', 'me', { input: {} }), isEnded)
  assert.deepEqual([written.done, written.total], [3, 3])
  assert.deepEqual(files.get(written.id), ['page begin;', 'page 2;'])
  await until(work.start('touch', 'me', { input: {} }), isEnded)
  assert.deepEqual(done, ['a', 'b', 'c'])
  work.dismiss(written.id)
  assert.equal(files.has(written.id), false)
})

void test('what is kept and makes no sense is left alone', () => {
  for (const kept of ['{', '[1]', '{"a":1}', '{"id":"x","kind":"stop"}', 'null']) {
    const { work } = bench({}, new Map([['x', kept]]))
    work.resume('me')
    assert.deepEqual(work.works, [])
  }
})

void test('the pace says how long it will take', () => {
  const work = { done: 18, failed: 2, total: 100, pace: { at: 1000, done: 0 } } as Work
  assert.deepEqual(paceOf(work, 11_000), { perSecond: 2, leftMs: 40_000, share: 0.2 })
  assert.deepEqual(paceOf(work, 1100), { perSecond: undefined, leftMs: undefined, share: 0.2 })
  assert.deepEqual(paceOf({ ...work, total: undefined }, 11_000), { perSecond: 2, leftMs: undefined, share: undefined })
})
