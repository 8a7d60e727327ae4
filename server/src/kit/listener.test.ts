// The connection that listens, when the machine of the database is gone and another one takes its place.
import assert from 'node:assert/strict'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { after } from 'node:test'
import { testDatabase } from '../../test/kit/postgres.ts'
import { proves } from '../../test/kit/proves.ts'
import { openDatabase } from '../base/db.ts'
import { createLog } from '../base/log.ts'
import { createListener } from './listener.ts'

const database = await testDatabase()
const log = createLog('debug', { write: () => undefined })

/** The way to the database. Connections that were made before `vanish` stay open, and nothing comes through them any more. */
const ways = new Set<[Socket, Socket]>()
const server = createServer((socket) => {
  const { host, port } = database
  const onward = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
  ways.add([socket, onward])
  for (const one of [socket, onward]) one.on('error', () => undefined)
  socket.pipe(onward).pipe(socket)
})
function vanish(): void {
  for (const [socket, onward] of ways) {
    socket.unpipe(onward)
    onward.unpipe(socket)
  }
}
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const address = () => ({ ...database, host: '127.0.0.1', port: (server.address() as AddressInfo).port })
const usual = { log, connectionsMax: 2 }
const direct = openDatabase({ ...usual, address: () => database })
const db = openDatabase({ ...usual, address, pingEveryMs: 50, pingTimeoutMs: 1000 })
const listener = createListener({ address, watch: db.watch, log })
after(async () => {
  await listener.close()
  await Promise.all([db.close(), direct.close()])
  for (const socket of [...ways].flat()) socket.destroy()
  server.close()
})

/** Asks the database, which takes its time, until it holds. */
async function until(holds: () => boolean): Promise<void> {
  for (let asked = 0; !holds(); asked++) {
    assert.ok(asked < 1500, 'it did not come to hold')
    await direct.sql`select pg_sleep(0.01)`
  }
}

proves('listener.vanished', 'listens again after the machine of the database has vanished', async () => {
  let heard = 0
  listener.on('seen_from_afar', () => (heard += 1))
  await until(() => listener.hears('seen_from_afar'))
  await direct.sql`notify seen_from_afar`
  await until(() => heard === 1)
  vanish()
  await until(() => !listener.hears('seen_from_afar'))
  await until(() => listener.hears('seen_from_afar'))
  await direct.sql`notify seen_from_afar`
  await until(() => heard === 2)
})
