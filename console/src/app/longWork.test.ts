// Long work: it does each thing once, waits for a service that is away, stops, and goes on after a reload.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LongWork, paceOf, type Work, type WorkAround, type WorkKind } from './longWork.ts'

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
  pause: WorkAround['pause'] = async () => {},
): Bench {
  const files = new Map<string, string[]>()
  const ended: string[] = []
  let ids = 0
  const work = new LongWork({
    kinds,
    store: { getItem: (key) => store.get(key) ?? null, setItem: (key, value) => void store.set(key, value) },
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

void test('a service that is away makes it wait, and stopping it loses nothing', async () => {
  let isAway = true
  const stop: WorkKind = {
    doing: 'Stopping',
    done: String,
    each: async () => {
      if (isAway) throw new Away('The service cannot be reached.')
    },
  }
  const { work, until } = bench({ stop }, new Map(), waiting)
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
  for (const kept of ['{', '[1]', '{"a":1}', '[{"id":"x","kind":"stop"}]', 'null']) {
    const { work } = bench({}, new Map([['runyard.work', kept]]))
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
