// The time of a run ends while the database is away and a finished call is not written yet.
import assert from 'node:assert/strict'
import { createServer as createHttpServer } from 'node:http'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { after } from 'node:test'
import { testDatabase } from '../../../test/kit/postgres.ts'
import { drainRuns, readRun, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { proves } from '../../../test/kit/proves.ts'

/** Long enough for the call to begin before it is over, on a busy machine too. */
const maxDurationS = 6

/** The way to the database. While it is cut, connections are refused; it is whole again for whoever knocks after `cutUntil`. */
const database = await testDatabase()
const sockets = new Set<Socket>()
let cutUntil = 0
const way = createServer((socket) => {
  if (performance.now() < cutUntil) {
    socket.destroy()
    return
  }
  const { host, port } = database
  const onward = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
  for (const one of [socket, onward]) {
    sockets.add(one)
    one.on('error', () => undefined)
    one.on('close', () => {
      socket.destroy()
      onward.destroy()
      sockets.delete(one)
    })
  }
  socket.pipe(onward).pipe(socket)
})
await new Promise<void>((resolve) => way.listen(0, '127.0.0.1', resolve))
const service = await testApp({
  address: { ...database, host: '127.0.0.1', port: (way.address() as AddressInfo).port },
  config: { allowPrivateHosts: ['127.0.0.1'] },
})
after(async () => {
  await service.close()
  way.close()
})

let calls = 0
const outside = createHttpServer((_, response) => {
  calls += 1
  // the database is away from before the answer until after the run's time is over
  cutUntil = performance.now() + maxDurationS * 1000 + 100
  for (const socket of sockets) socket.destroy()
  response.end('paid')
})
await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve))
after(() => outside.close())

proves(
  'runs.outcomeKept',
  'a call that ended is written down although the time of its run ended while the database was away',
  async () => {
    const team = await seedTeam(service)
    const { port } = outside.address() as AddressInfo
    const agentId = await seedAgent(team, `\`\`\`http\nPOST http://127.0.0.1:${port}/pay\n\nonce\n\`\`\`\n`)
    const runId = await startRun(team, agentId, { limits: { max_duration_s: maxDurationS } })
    await drainRuns(service)
    assert.ok(performance.now() > cutUntil)
    const { status, error } = await readRun(team, runId)
    assert.deepEqual([status, error.code, calls], ['failed', 'limit_reached', 1])
    const [step] =
      await team.sql`select state, result ->> 'body' as body from run_steps where run_id = ${runId} and kind = 'tool'`
    assert.deepEqual(step, { state: 'done', body: 'paid' })
  },
)
