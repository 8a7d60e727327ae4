// Nothing that somebody types is lost or written over: every way from a key to the server, with a server that can be slow or say no.
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { ConflictError, ConnectionError, type Build, type BuildConfig } from '@runyard/sdk'
import { localCopies } from './localCopies.ts'
import { WorkingCopy } from './workingCopy.ts'

const config = (input: string): BuildConfig => ({ version: 'v2', data: { input } })

const build = (over: Partial<Build> = {}): Build => ({
  id: 'b1',
  agent_id: 'a',
  name: 'Clerk',
  revision_number: 1,
  revision_name: null,
  revision_description: null,
  status: 'draft',
  config: config('one'),
  parent_build_id: null,
  created_by: null,
  created_at: '2026-11-01T00:00:00.000Z',
  updated_at: '2026-11-01T00:00:00.000Z',
  published_at: null,
  builder_run_id: null,
  ...over,
})

class Kept {
  readonly #kept = new Map<string, string>()
  get length() {
    return this.#kept.size
  }
  key = (at: number) => [...this.#kept.keys()][at] ?? null
  getItem = (key: string) => this.#kept.get(key) ?? null
  setItem = (key: string, value: string) => void this.#kept.set(key, value)
  removeItem = (key: string) => void this.#kept.delete(key)
  clear = () => this.#kept.clear()
}

const conflict = () =>
  new ConflictError(new Response(null, { status: 409 }), JSON.stringify({ error: 'conflict', message: 'Changed.' }))

const atOnce = () => Promise.resolve()

/** A server with one draft, and a browser that keeps copies. */
function scene(first: Build, storage: Storage = new Kept()) {
  const stored = new Map([[first.id, first]])
  const sent: string[] = []
  let answer = atOnce
  let clock = 1
  const later = () => `2026-11-01T00:00:${String((clock += 1)).padStart(2, '0')}.000Z`
  const copies = localCopies(storage, 'me')
  const copy = new WorkingCopy(first, {
    copies,
    pauseMs: 1000,
    onChange: () => {},
    async update(base, wanted) {
      sent.push(`update ${base.id}`)
      await answer()
      const now = stored.get(base.id)
      if (now?.updated_at !== base.updated_at) throw conflict()
      const changed = { ...now, config: wanted, updated_at: later() }
      stored.set(base.id, changed)
      return changed
    },
    async create(base, wanted) {
      sent.push(`create of ${base.id}`)
      await answer()
      const made = build({ id: `b${stored.size + 1}`, config: wanted, parent_build_id: base.id, updated_at: later() })
      stored.set(made.id, made)
      return made
    },
    read: (id) => Promise.resolve(stored.get(id) ?? first),
  })
  return {
    copy,
    copies,
    sent,
    stored,
    storage,
    answers: (next: () => Promise<void>) => (answer = next),
    change: (id: string, over: Partial<Build>) =>
      stored.set(id, { ...build(), ...stored.get(id), ...over, updated_at: later() }),
  }
}

const settled = () => new Promise((done) => setImmediate(done))

test('what is typed into a draft is kept at once and saved after a pause without errors', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  const { copy, copies, sent, stored } = scene(build())
  const typed = config('two')
  copy.edit(typed)
  assert.equal(copies.read('b1')?.config.data['input'], 'two')
  copy.checked(typed, true)
  mock.timers.tick(60_000)
  assert.deepEqual([copy.now.phase, sent], ['held', []], 'with errors it stays in the browser')
  const right = config('three')
  copy.edit(right)
  copy.checked(right, false)
  mock.timers.tick(999)
  assert.deepEqual(sent, [])
  mock.timers.tick(1)
  mock.timers.reset()
  await settled()
  assert.deepEqual([copy.now.phase, sent], ['saved', ['update b1']])
  assert.deepEqual([stored.get('b1')?.config.data['input'], copies.read('b1')], ['three', undefined])
})

test('what is typed into a live or a named build becomes a draft of it, once', async () => {
  for (const over of [{ status: 'live' }, { revision_name: 'Asks first' }] as const) {
    const { copy, sent } = scene(build(over))
    copy.edit(config('two'))
    const made = await copy.saveNow()
    assert.deepEqual([made.id, made.parent_build_id, copy.now.base.id], ['b2', 'b1', 'b2'])
    copy.edit(config('three'))
    await copy.saveNow()
    assert.deepEqual(sent, ['create of b1', 'update b2'])
  }
})

test('what is typed during a save is saved after it', async () => {
  const { copy, stored, answers, sent } = scene(build())
  copy.edit(config('two'))
  answers(async () => {
    if (sent.length === 1) copy.edit(config('two and a half'))
    await settled()
  })
  await copy.saveNow()
  assert.equal(stored.get('b1')?.config.data['input'], 'two and a half')
  assert.deepEqual([copy.now.phase, sent.length], ['saved', 2])
})

test('what somebody else saved is not written over: a person decides, and either text stays', async () => {
  const mine = scene(build())
  mine.copy.edit(config('mine'))
  mine.change('b1', { config: config('theirs') })
  await assert.rejects(mine.copy.saveNow(), ConflictError)
  assert.deepEqual([mine.copy.now.phase, mine.copy.now.theirs?.config.data['input']], ['conflict', 'theirs'])
  mine.copy.edit(config('mine, typed on'))
  assert.equal(mine.copy.now.phase, 'conflict')
  const made = await mine.copy.keepMine()
  assert.deepEqual([made.parent_build_id, made.config.data['input']], ['b1', 'mine, typed on'])
  assert.equal(mine.stored.get('b1')?.config.data['input'], 'theirs')

  const other = scene(build())
  other.copy.edit(config('mine'))
  other.change('b1', { config: config('theirs') })
  await assert.rejects(other.copy.saveNow(), ConflictError)
  other.copy.takeTheirs()
  assert.deepEqual([other.copy.now.phase, other.copy.now.config.data['input']], ['saved', 'theirs'])
  assert.equal(other.copies.read('b1'), undefined)
})

test('what is typed into a draft that somebody promoted becomes a new draft', async () => {
  const { copy, change, sent } = scene(build())
  copy.edit(config('two'))
  change('b1', { status: 'live' })
  const made = await copy.saveNow()
  assert.deepEqual([made.parent_build_id, sent], ['b1', ['update b1', 'create of b1']])
})

test('a page that is opened again has what was typed, and knows whether the build has changed since', () => {
  const storage = new Kept()
  scene(build(), storage).copy.edit(config('typed'))
  const again = scene(build(), storage)
  assert.deepEqual([again.copy.now.phase, again.copy.now.config.data['input']], ['typing', 'typed'])
  assert.ok(again.copy.now.restoredFrom)
  const changed = scene(build({ config: config('theirs'), updated_at: '2026-11-02T00:00:00.000Z' }), storage)
  assert.deepEqual([changed.copy.now.phase, changed.copy.now.config.data['input']], ['conflict', 'typed'])
  again.copy.revert()
  assert.equal(scene(build(), storage).copy.now.phase, 'saved')
})

test('a save is tried again when the service cannot be reached', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  const { copy, answers, sent, stored } = scene(build())
  copy.edit(config('two'))
  answers(() => Promise.reject(new ConnectionError('nobody is there')))
  await assert.rejects(copy.saveNow(), ConnectionError)
  assert.equal(copy.now.phase, 'failed')
  answers(atOnce)
  mock.timers.tick(5000)
  mock.timers.reset()
  await settled()
  assert.deepEqual([copy.now.phase, stored.get('b1')?.config.data['input'], sent.length], ['saved', 'two', 2])
})

test('a browser that keeps nothing is known, and old copies make room', () => {
  const full = new Kept()
  full.setItem = () => {
    throw new Error('full')
  }
  const { copy } = scene(build(), full)
  copy.edit(config('two'))
  assert.equal(copy.now.isKept, false)
  const storage = new Kept()
  const copies = localCopies(storage, 'me')
  for (let n = 0; n < 30; n += 1)
    copies.keep(`b${n}`, { config: config('x'), basedOn: '', at: new Date(n * 1000).toISOString() })
  assert.equal(storage.length, 20)
  assert.equal(copies.read('b0'), undefined)
  assert.ok(copies.read('b29'))
})

test('a build that changed on the server is shown, unless something was typed', () => {
  const { copy } = scene(build())
  const theirs = build({ config: config('theirs'), updated_at: '2026-11-02T00:00:00.000Z' })
  copy.open(theirs)
  assert.equal(copy.now.config.data['input'], 'theirs')
  copy.open(build())
  assert.equal(copy.now.config.data['input'], 'theirs', 'an old answer is not shown')
  copy.edit(config('typed'))
  copy.open({ ...theirs, updated_at: '2026-11-03T00:00:00.000Z' })
  assert.equal(copy.now.config.data['input'], 'typed')
})
