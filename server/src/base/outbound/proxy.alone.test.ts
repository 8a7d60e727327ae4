// Tests of the filtering proxy: what it lets through, what it refuses in whatever spelling, and that it passes on nothing it should not.

import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import diagnostics from 'node:diagnostics_channel'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import {
  createServer as createHttpServer,
  request as httpRequest,
  type ClientRequest,
  type IncomingMessage,
} from 'node:http'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { createGuard } from './guard.ts'
import { createFilteringProxy, type FilteringProxyOptions, type ProxyRefusal } from './proxy.ts'
import { answers, families } from '../../../test/hostile/ssrfCorpus.ts'
import { proves, provesTogether } from '../../../test/kit/proves.ts'

const openGuard = createGuard({ allowPrivateHosts: ['127.0.0.1'] })
const basic = (words: string) => ({ 'proxy-authorization': `Basic ${Buffer.from(words).toString('base64')}` })
const corpusResolve = async (host: string): Promise<string[]> => answers[host] ?? assert.fail(`nothing says ${host}`)
const endOf = (one: Socket | ClientRequest): Promise<void> =>
  new Promise((resolve) => one.on('error', () => {}).once('close', () => resolve()))

async function listening(t: TestContext, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return (server.address() as AddressInfo).port
}

async function proxyFor(t: TestContext, options: Partial<FilteringProxyOptions> = {}) {
  const refusals: ProxyRefusal[] = []
  const proxy = createFilteringProxy({ guard: openGuard, onRefused: (refusal) => refusals.push(refusal), ...options })
  t.after(() => proxy.close())
  const { port } = await proxy.listen({ host: '127.0.0.1', port: 0 })
  assert.ok(port !== null)
  return { proxy, port, refusals }
}

/** What comes back for bytes sent as they are, until the connection ends. */
async function raw(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(bytes)
  return text(socket)
}

type Asked = { port: number; url: string; method?: string; headers?: Record<string, string>; body?: Buffer }

async function through({ port, url, method = 'GET', headers = {}, body }: Asked): Promise<IncomingMessage> {
  const sent = httpRequest({ host: '127.0.0.1', port, path: url, method, headers, agent: false }).end(body)
  const [received] = (await once(sent, 'response')) as [IncomingMessage]
  return received
}

async function tunnelTo(port: number, authority: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`)
  const [head] = (await once(socket, 'data')) as [Buffer]
  assert.equal(head.toString(), 'HTTP/1.1 200 Connection established\r\n\r\n')
  return socket
}

/** A site that writes down what reached it. */
async function recordingSite(t: TestContext) {
  const urls: string[] = []
  const site = createHttpServer((request, response) => {
    let bytes = 0
    request.on('data', (chunk: Buffer) => (bytes += chunk.length))
    request.on('end', () => {
      urls.push(`${request.method} ${request.url} ${bytes}`)
      response.end('ok')
    })
  })
  return { urls, at: await listening(t, site) }
}

provesTogether('outbound.proxy', 'a permitted host', () => {
  test('gets the request whole, without what was meant for the proxy, and its answer comes back whole', async (t) => {
    let got: IncomingMessage | undefined
    const site = createHttpServer((request, response) => {
      got = request
      response.writeHead(201, {
        'set-cookie': ['a=1', 'b=2'],
        'keep-alive': 'timeout=9',
        connection: 'x-hop',
        'x-hop': '1',
      })
      request.pipe(createHash('sha256')).setEncoding('hex').pipe(response)
    })
    const at = await listening(t, site)
    const { port, refusals } = await proxyFor(t)
    const body = randomBytes(8 * 1024 * 1024)
    const answer = await through({
      port,
      url: `http://127.0.0.1:${at}/a?b=c%20d`,
      method: 'PUT',
      headers: {
        host: 'other.example',
        connection: 'x-mine',
        'x-mine': '1',
        'x-kept': 'yes',
        te: 'trailers',
        'proxy-authorization': 'Basic c2VjcmV0',
        'transfer-encoding': 'chunked',
      },
      body,
    })
    assert.equal(answer.statusCode, 201)
    assert.equal(await text(answer), createHash('sha256').update(body).digest('hex'))
    assert.deepEqual(answer.headers['set-cookie'], ['a=1', 'b=2'])
    assert.equal(answer.headers['x-hop'], undefined)
    assert.deepEqual([got!.method, got!.url, got!.headers.host], ['PUT', '/a?b=c%20d', `127.0.0.1:${at}`])
    assert.equal(got!.headers['x-kept'], 'yes')
    for (const name of ['x-mine', 'te', 'proxy-authorization']) assert.equal(got!.headers[name], undefined, name)
    assert.deepEqual(refusals, [])
  })

  test('is reached by CONNECT, with bytes both ways and the end of each side carried to the other', async (t) => {
    const echo = createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket))
    const at = await listening(t, echo)
    const { port } = await proxyFor(t)
    const socket = await tunnelTo(port, `127.0.0.1:${at}`)
    const sent = randomBytes(4 * 1024 * 1024)
    socket.end(sent)
    assert.ok(sent.equals(await buffer(socket)))
  })

  test('redirects the client, not the proxy', async (t) => {
    let connections = 0
    const secret = createServer(() => connections++)
    const secretPort = await listening(t, secret)
    const location = `http://localhost:${secretPort}/`
    const site = createHttpServer((_request, response) => response.writeHead(302, { location }).end())
    const at = await listening(t, site)
    const { port } = await proxyFor(t)
    const answer = await through({ port, url: `http://127.0.0.1:${at}/` })
    assert.deepEqual([answer.statusCode, answer.headers.location], [302, location])
    assert.equal(connections, 0)
  })

  test('is reached over a socket in the file system too', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'runyard-proxy-'))
    t.after(() => rm(folder, { recursive: true }))
    const at = await listening(
      t,
      createHttpServer((_request, response) => response.end('reached')),
    )
    const proxy = createFilteringProxy({ guard: openGuard })
    t.after(() => proxy.close())
    const path = join(folder, 'proxy.sock')
    assert.deepEqual(await proxy.listen({ path }), { port: null })
    const sent = httpRequest({ socketPath: path, path: `http://127.0.0.1:${at}/` }).end()
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    assert.equal(await text(answer), 'reached')
  })
})

provesTogether('outbound.proxy', 'a host that is not permitted', () => {
  test('is refused in every spelling of the corpus, by URL and by CONNECT, and never dialled', async (t) => {
    let connections = 0
    const at = await listening(
      t,
      createServer(() => connections++),
    )
    const { port, refusals } = await proxyFor(t, {
      guard: createGuard({ allowPrivateHosts: [], resolve: corpusResolve }),
    })
    let dials = 0
    const countDial = ({ socket }: { socket: Socket }): void => {
      socket.once('connectionAttempt', (_address: string, dialled: number) => (dials += dialled === port ? 0 : 1))
    }
    diagnostics.subscribe('net.client.socket', countDial as never)
    t.after(() => diagnostics.unsubscribe('net.client.socket', countDial as never))
    for (const url of families.flatMap((family) => family.urls).map((one) => one.replaceAll('PORT', String(at)))) {
      const byUrl = await raw(port, `GET ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
      assert.match(byUrl, /^HTTP\/1\.1 40[03] /, url)
      const authority = /^\w+:\/*([^/?#]*)/.exec(url)?.[1] ?? ''
      const byConnect = await raw(port, `CONNECT ${authority} HTTP/1.1\r\nHost: x\r\n\r\n`)
      assert.match(byConnect, /^HTTP\/1\.1 40[03] /, url)
    }
    assert.equal(connections, 0)
    assert.equal(dials, 0)
    assert.ok(refusals.length > 500, String(refusals.length))
  })

  test('is reported to the client and to whoever watches, in the guard’s words', async (t) => {
    const { port, refusals } = await proxyFor(t)
    const answer = await through({ port, url: 'http://169.254.169.254/latest/meta-data/' })
    assert.equal(answer.statusCode, 403)
    const said = await text(answer)
    assert.match(said, /^"169\.254\.169\.254" is a link-local address\. .+\.$/)
    assert.deepEqual(refusals, [{ host: '169.254.169.254', reason: said }])
    assert.match(await raw(port, 'CONNECT [fd00::1]:443 HTTP/1.1\r\nHost: x\r\n\r\n'), /403 Forbidden[^]*private/)
    assert.equal(refusals[1]!.host, '[fd00::1]')
  })

  test('cannot slip in between vetting and dialling: a connection resolves once and dials that answer', async (t) => {
    const at = await listening(
      t,
      createHttpServer((_request, response) => response.end('reached')),
    )
    let asked = 0
    const resolve = async (): Promise<string[]> => (asked++ === 0 ? ['127.0.0.1'] : ['127.0.0.2'])
    const { port } = await proxyFor(t, { guard: createGuard({ allowPrivateHosts: ['127.0.0.1'], resolve }) })
    const url = `http://flip.example:${at}/`
    assert.equal(await text(await through({ port, url })), 'reached')
    assert.equal(asked, 1)
    assert.equal((await through({ port, url })).statusCode, 403)
  })

  test('may be one that the guard lets through and the list of this proxy does not', async (t) => {
    const at = await listening(
      t,
      createHttpServer((_request, response) => response.end('reached')),
    )
    const asked: [string, number][] = []
    const mayReach = (host: string, port: number): boolean => asked.push([host, port]) === 1
    const { port, refusals } = await proxyFor(t, { mayReach })
    assert.equal(await text(await through({ port, url: `http://2130706433:${at}/` })), 'reached')
    assert.equal((await through({ port, url: 'http://Example.COM./' })).statusCode, 403)
    assert.match(await raw(port, 'CONNECT [2606:4700::1111]:443 HTTP/1.1\r\nHost: x\r\n\r\n'), /^HTTP\/1\.1 403 /)
    assert.deepEqual(asked, [
      ['127.0.0.1', at],
      ['example.com', 80],
      ['2606:4700::1111', 443],
    ])
    assert.match(refusals[0]!.reason, /^"example\.com" is not on the list/)
  })
})

proves('outbound.proxy', 'with credentials, nobody without them gets anything but a 407', async (t) => {
  const at = await listening(
    t,
    createHttpServer((_request, response) => response.end('reached')),
  )
  const { port } = await proxyFor(t, { credentials: { username: 'session', password: 'pa:ss' } })
  const url = `http://127.0.0.1:${at}/`
  for (const headers of [{}, basic('session:wrong'), basic('session'), { 'proxy-authorization': 'Bearer pa:ss' }]) {
    const answer = await through({ port, url, headers })
    assert.equal(answer.statusCode, 407)
    assert.match(answer.headers['proxy-authenticate']!, /^Basic realm=/)
  }
  const refused = await raw(port, `CONNECT 127.0.0.1:${at} HTTP/1.1\r\nHost: x\r\n\r\n`)
  assert.match(refused, /^HTTP\/1\.1 407 [^]*proxy-authenticate: Basic/)
  assert.equal(await text(await through({ port, url, headers: basic('session:pa:ss') })), 'reached')
})

provesTogether('outbound.proxy', 'no request hides in another', () => {
  test('a length that Connection takes away still frames the body', async (t) => {
    const { urls, at } = await recordingSite(t)
    const { port } = await proxyFor(t)
    const hidden = `GET http://127.0.0.1:${at}/hidden HTTP/1.1\r\nHost: x\r\n\r\n`
    const lines = [`GET http://127.0.0.1:${at}/ HTTP/1.1`, 'Host: x', `Content-Length: ${hidden.length}`]
    const answer = await raw(port, [...lines, 'Connection: close, content-length, host', '', hidden].join('\r\n'))
    assert.match(answer, /^HTTP\/1\.1 200 OK/)
    assert.deepEqual(urls, [`GET / ${hidden.length}`])
  })

  test('a message with two frames, or a broken one, is refused', async (t) => {
    const { urls, at } = await recordingSite(t)
    const { port } = await proxyFor(t)
    for (const headers of [
      ['Content-Length: 4', 'Transfer-Encoding: chunked'],
      ['Content-Length: 4', 'Content-Length: 5'],
      ['Transfer-Encoding: chunked, identity'],
      ['Content-Length : 4'],
      ['Content-Length: +4'],
    ]) {
      const head = [`POST http://127.0.0.1:${at}/ HTTP/1.1`, 'Host: x', 'Connection: close', ...headers]
      assert.match(await raw(port, `${head.join('\r\n')}\r\n\r\n0\r\n\r\n`), /^HTTP\/1\.1 400 /, headers.join())
    }
    assert.deepEqual(urls, [])
  })

  test('what is not a request to a proxy is refused with a sentence', async (t) => {
    const { urls, at } = await recordingSite(t)
    const { port } = await proxyFor(t)
    const wrong: [string, RegExp][] = [
      ['GET / HTTP/1.1\r\nHost: x', /400 [^]*This is a proxy/],
      ['GET https://example.com/ HTTP/1.1\r\nHost: x', /400 [^]*wants CONNECT/],
      ['CONNECT 127.0.0.1 HTTP/1.1\r\nHost: x', /400 [^]*a host and a port/],
      ['CONNECT user@127.0.0.1:80 HTTP/1.1\r\nHost: x', /400 [^]*a host and a port/],
      [
        `GET http://127.0.0.1:${at}/ HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: websocket`,
        /501 [^]*CONNECT/,
      ],
    ]
    for (const [head, said] of wrong) assert.match(await raw(port, `${head}\r\n\r\n`), said)
    assert.deepEqual(urls, [])
  })
})

provesTogether('outbound.proxy', 'a server that fails', () => {
  test('is answered with 502, or with 504 when it is silent', async (t) => {
    const silent = await listening(
      t,
      createServer((socket) => socket.on('error', () => {})),
    )
    const odd = await listening(
      t,
      createServer((socket) => socket.end('HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n')),
    )
    const switching = await listening(
      t,
      createServer((socket) =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
      ),
    )
    const gone = createServer()
    const closed = await listening(t, gone)
    gone.close()
    const notFound = Object.assign(new Error('not found'), { code: 'ENOTFOUND' })
    const guard = createGuard({ allowPrivateHosts: ['127.0.0.1'], resolve: () => Promise.reject(notFound) })
    const { port: hasty } = await proxyFor(t, { guard, idleTimeoutMs: 100 })
    const unanswered = await through({ port: hasty, url: `http://127.0.0.1:${silent}/` })
    assert.equal(unanswered.statusCode, 504)
    assert.match(await text(unanswered), /stopped answering/)
    const { port } = await proxyFor(t, { guard })
    const expected: [string, number, RegExp][] = [
      [`http://127.0.0.1:${odd}/`, 502, /cannot be passed on/],
      [`http://127.0.0.1:${switching}/`, 502, /gave no/],
      [`http://127.0.0.1:${closed}/`, 502, /refused the connection/],
      ['http://nowhere.example/', 502, /does not resolve/],
    ]
    for (const [url, status, said] of expected) {
      const answer = await through({ port, url })
      assert.equal(answer.statusCode, status, url)
      assert.match(await text(answer), said)
    }
  })

  test('to resolve in time is answered with 504', async (t) => {
    const guard = createGuard({ allowPrivateHosts: [], resolve: () => new Promise(() => {}) })
    const { port } = await proxyFor(t, { guard, connectTimeoutMs: 20 })
    const answer = await through({ port, url: 'http://slow.example/' })
    assert.deepEqual(
      [answer.statusCode, await text(answer)],
      [504, 'slow.example did not accept a connection in time.'],
    )
  })
})

proves('outbound.proxy', 'closing cuts tunnels and requests under way', async (t) => {
  const at = await listening(
    t,
    createServer((socket) => socket.on('error', () => {})),
  )
  const { proxy, port } = await proxyFor(t)
  const tunnel = await tunnelTo(port, `127.0.0.1:${at}`)
  const waiting = httpRequest({ host: '127.0.0.1', port, path: `http://127.0.0.1:${at}/` }).end()
  const ends = Promise.all([endOf(tunnel), endOf(waiting)])
  waiting.once('response', () => assert.fail('it is cut off, not answered'))
  await once(waiting, 'finish')
  await proxy.close()
  await ends
})
