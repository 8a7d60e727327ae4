// The watch of the database: when it takes the database for unreachable, and when it does not.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { testDatabase } from '../../test/kit/postgres.ts'
import { openDatabase, type Address } from './db.ts'
import { connectionUrl } from './embeddedPostgres.ts'
import { createLog } from './log.ts'
import { proves } from '../../test/kit/proves.ts'

proves('database.ownStall', 'a process that is busy itself does not take its database for away', async (t) => {
  const address = await testDatabase()
  const logged: string[] = []
  const log = createLog('debug', { write: (line) => logged.push(line) })
  // longer than a machine that is busy with other tests lets the server stand still
  const db = openDatabase({ address: () => address, log, pingTimeoutMs: 4000 })
  t.after(() => db.close())
  // the first look opens a connection, which takes several answers; each of them waits for a busy event loop
  const held = new Int32Array(new SharedArrayBuffer(4))
  for (let turn = 0; turn < 6; turn++) {
    Atomics.wait(held, 0, 0, 900)
    await nextTurn()
  }
  const answers = await db.sql<{ one: number }>`select 1 as one`
  assert.deepEqual(answers, [{ one: 1 }])
  assert.deepEqual(
    logged.filter((line) => line.includes('does not answer')),
    [],
  )
})

proves(
  'database.connecting',
  'a statement that waits for a new connection fails as soon as the database is taken for away',
  async (t) => {
    const server = await testDatabase()
    const { port, freeze } = await freezingProxy(t, server)
    const db = openDatabase({
      address: () => ({ ...server, host: '127.0.0.1', port }),
      log: createLog('silent'),
      connectionsMax: 2,
    })
    t.after(() => db.close())
    await db.sql`select 1`
    freeze()
    // one has a connection, one opens a connection, and one waits for either of them
    const failures = await Promise.all(
      [1, 2, 3].map((n) =>
        db.sql`select ${n}::int4`.then(
          () => assert.fail(),
          (error: Error) => error.message,
        ),
      ),
    )
    assert.equal(db.watch.isPresent(), false)
    for (const message of failures)
      assert.match(message, /^(Connection terminated unexpectedly|the database does not answer)$/)
  },
)

proves(
  'postgres.hosts',
  'when another host becomes the primary, what waits for the one before fails at once, and the new one is used',
  async (t) => {
    const server = await testDatabase()
    const { port, freeze } = await freezingProxy(t, server)
    let url = connectionUrl({ ...server, host: '127.0.0.1', port })
    const listeners = new Set<() => void>()
    const onPromoted = (listener: () => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    }
    const host = () => ({ url, refused: () => undefined, onPromoted })
    // nothing here waits until it is too late
    const db = openDatabase({ address: host, log: createLog('silent'), pingTimeoutMs: 120_000, pingEveryMs: 20 })
    await db.sql`select 1`
    freeze()
    const waiting = assert.rejects(db.sql`select 2`, /^Error: Connection terminated unexpectedly$/)
    url = connectionUrl(server)
    for (const tell of listeners) tell()
    await waiting
    while (!db.watch.isPresent()) await nextTurn()
    assert.deepEqual(await db.sql`select 3 as three`, [{ three: 3 }])
    await db.close()
    while (listeners.size > 0) await nextTurn()
  },
)

/** Passes bytes on in both directions until it freezes: then connections are accepted and nothing comes back, as with a stopped server. */
async function freezingProxy(t: TestContext, server: Address) {
  const sockets = new Set<Socket>()
  let isFrozen = false
  const proxy = createServer((near) => {
    sockets.add(near)
    near.on('error', () => undefined)
    if (isFrozen) return
    const far = connect(server.port, server.host)
    sockets.add(far)
    far.on('error', () => undefined)
    near.pipe(far).pipe(near)
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    proxy.close()
  })
  return {
    port: (proxy.address() as AddressInfo).port,
    freeze: () => {
      isFrozen = true
      for (const socket of sockets) socket.unpipe()
    },
  }
}
