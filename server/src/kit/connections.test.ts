// A server that closes while its clients hold connections in every state.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { proves } from '../../test/kit/proves.ts'
import { testApp } from '../../test/kit/testApp.ts'
import { feature } from './feature.ts'

const inTime = (done: Promise<unknown>): Promise<unknown> =>
  Promise.race([done, sleep(10_000, undefined, { ref: false }).then(() => assert.fail('a connection is kept'))])

const closed = (socket: Socket): Promise<unknown> => once(socket, 'close')
const whole = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`

proves('api.closes', 'only answers under way keep it from closing, and they arrive whole', async () => {
  const begun = Promise.withResolvers<void>()
  const finish = Promise.withResolvers<string>()
  const slow = feature({
    name: 'slow answers',
    routes(app) {
      app.get('/slow', () => (begun.resolve(), finish.promise))
    },
  })
  const service = await testApp({ features: [slow] })
  const { port } = new URL(await service.listen())
  const opened = async (says: string): Promise<Socket> => {
    const socket = connect(Number(port), '127.0.0.1')
    await once(socket, 'connect')
    socket.write(says)
    return socket.resume()
  }
  const silent = await opened('')
  const half = await opened(whole('/healthz').slice(0, 20))
  const idle = await opened(whole('/healthz'))
  const secondHalf = await opened(`${whole('/healthz')}GET /`)
  await Promise.all([once(idle, 'data'), once(secondHalf, 'data')])
  const busy = await opened(whole('/slow'))
  let answer = ''
  busy.on('data', (piece: Buffer) => (answer += piece.toString()))
  await begun.promise

  const unused = Promise.all([silent, half, idle, secondHalf].map(closed))
  const afterAnswer = closed(busy)
  let isClosed = false
  const closing = service.app.close().then(() => (isClosed = true))
  await inTime(unused)
  assert.deepEqual([isClosed, answer], [false, ''])
  finish.resolve('all of it')
  await inTime(Promise.all([closing, afterAnswer]))
  assert.match(answer, /^HTTP\/1\.1 200 [^]*all of it$/)
})
