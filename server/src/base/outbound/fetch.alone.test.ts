// Tests of outbound calls against real servers on loopback: every bound on an answer, every way to fail, and fetch.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { describe, test, type TestContext } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { createOutbound, OutboundFailure, type Outbound, type OutboundLimits, type OutboundStage } from './fetch.ts'
import { createGuard, OutboundRefused, type Resolve } from './guard.ts'

type Listening = { port: number; url: string; sockets: Socket[] }

async function listening(t: TestContext, server: Server): Promise<Listening> {
  const sockets: Socket[] = []
  server.on('connection', (socket) => {
    // A client that goes away is what many of these tests are about.
    sockets.push(socket.on('error', () => {}))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { port, url: `http://hook.example:${port}/`, sockets }
}

const speaking = (t: TestContext, speak: (socket: Socket) => void): Promise<Listening> =>
  listening(
    t,
    createServer((socket) => void socket.once('data', () => speak(socket))),
  )

const serving = (t: TestContext, listener: RequestListener): Promise<Listening> =>
  listening(t, createHttpServer(listener))

function outboundTo(
  t: TestContext,
  resolve: Resolve = async () => ['127.0.0.1'],
  limits: OutboundLimits = {},
): Outbound {
  const outbound = createOutbound(createGuard({ allowPrivateHosts: ['127.0.0.1', '::1'], resolve }), limits)
  t.after(() => outbound.close())
  return outbound
}

async function closed(socket: Socket | undefined): Promise<void> {
  assert.ok(socket)
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve))
}

const neverResolves: Resolve = () => new Promise(() => {})

async function assertFails(call: Promise<unknown>, stage: OutboundStage, sentence: RegExp): Promise<OutboundFailure> {
  const failure = await call.then(
    () => assert.fail('it did not fail'),
    (error: unknown) => error,
  )
  assert.ok(failure instanceof OutboundFailure, String(failure))
  assert.equal(failure.stage, stage, failure.message)
  assert.match(failure.message, sentence)
  assert.match(failure.message, /\.$/)
  return failure
}

describe('request', () => {
  test('sends what it is given and answers with status, headers, body and address', async (t) => {
    const { url } = await serving(t, (request, response) => {
      let body = ''
      request.setEncoding('utf8').on('data', (text: string) => (body += text))
      request.on('end', () => {
        response.writeHead(202, { 'x-many': ['a', 'b'] })
        response.end(
          JSON.stringify([request.method, request.url, request.headers.host, request.headers['x-one'], body]),
        )
      })
    })
    const outbound = outboundTo(t)
    const headers = { 'X-One': '1', 'content-type': 'text/plain' }
    const answer = await outbound.request({ method: 'POST', url: `${url}p?q=1#f`, headers, body: 'grüße' })
    assert.equal(answer.status, 202)
    assert.deepEqual(answer.headers['x-many'], ['a', 'b'])
    assert.deepEqual(JSON.parse(answer.body.toString()), ['POST', '/p?q=1', new URL(url).host, '1', 'grüße'])
    assert.equal(answer.truncated, false)
    assert.equal(answer.address, '127.0.0.1')
    assert.ok(answer.durationMs >= 0)
    const bytes = await outbound.request({ method: 'PUT', url, body: new Uint8Array([104, 105]) })
    assert.match(bytes.body.toString(), /"hi"\]$/)
    assert.equal((await outbound.request({ method: 'HEAD', url })).body.length, 0)
  })

  test('keeps connections alive and resolves a name once a connection', async (t) => {
    let asked = 0
    const { url, sockets } = await serving(t, (_request, response) => response.end('ok'))
    const outbound = outboundTo(t, async () => (asked++, ['127.0.0.1']))
    for (let call = 0; call < 5; call++) {
      assert.equal((await outbound.request({ url })).address, '127.0.0.1')
      // undici frees a connection one turn of the event loop after its answer.
      await nextTurn()
    }
    assert.equal(sockets.length, 1)
    assert.equal(asked, 1)
  })

  test('falls back to the next vetted address when one does not answer', async (t) => {
    const { url } = await serving(t, (_request, response) => response.end('ok'))
    const outbound = outboundTo(t, async () => ['::1', '127.0.0.1'])
    assert.equal((await outbound.request({ url })).address, '127.0.0.1')
  })

  test('ignores the proxies of the environment', async (t) => {
    const proxy = await serving(t, (_request, response) => response.end('proxied'))
    const { url } = await serving(t, (_request, response) => response.end('direct'))
    const address = `http://127.0.0.1:${proxy.port}`
    const proxies = {
      HTTP_PROXY: address,
      http_proxy: address,
      HTTPS_PROXY: address,
      ALL_PROXY: address,
      NODE_USE_ENV_PROXY: '1',
    }
    const kept = { ...process.env }
    t.after(() => (process.env = kept))
    process.env = { ...kept, ...proxies, NO_PROXY: '' }
    const outbound = outboundTo(t)
    assert.equal((await outbound.request({ url })).body.toString(), 'direct')
    assert.equal(await (await outbound.fetch(url)).text(), 'direct')
    assert.equal(proxy.sockets.length, 0)
  })

  test('returns a redirect as it is', async (t) => {
    const target = await serving(t, (_request, response) => response.end('target'))
    for (const status of [301, 302, 303, 307, 308]) {
      const { url } = await serving(t, (_request, response) =>
        response.writeHead(status, { location: target.url }).end(),
      )
      const answer = await outboundTo(t).request({ url })
      assert.equal(answer.status, status)
      assert.equal(answer.headers['location'], target.url)
    }
    assert.equal(target.sockets.length, 0)
  })

  test('refuses a Host header of its own and the CONNECT method', async (t) => {
    const { url, sockets } = await serving(t, (_request, response) => response.end())
    const outbound = outboundTo(t)
    await assertFails(outbound.request({ url, headers: { HOST: 'other.example' } }), 'guard', /Host header/)
    await assertFails(outbound.fetch(url, { headers: { host: 'other.example' } }), 'guard', /Host header/)
    await assertFails(outbound.request({ url, method: 'CONNECT' }), 'protocol', /cannot be sent/)
    await assertFails(outbound.request({ url, headers: { 'x-a': 'b\r\nx-c: d' } }), 'protocol', /cannot be sent/)
    assert.equal(sockets.length, 0)
  })
})

describe('the bounds of an answer', () => {
  test('stops reading an endless answer at its limit and closes the connection', async (t) => {
    const { url, sockets } = await serving(t, (_request, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(64 * 1024, 'x')));
      }
      response.on('drain', more)
      more()
    })
    const answer = await outboundTo(t).request({ url })
    assert.equal(answer.status, 200)
    assert.equal(answer.truncated, true)
    assert.equal(answer.body.toString(), 'x'.repeat(4096))
    await closed(sockets[0])
    // Buffers of both kernels, no more.
    assert.ok((sockets[0]?.bytesWritten ?? 0) < 32 * 1024 * 1024)
  })

  test('keeps an answer of exactly the limit whole, and of a limit of 0 nothing', async (t) => {
    const { url } = await serving(t, (_request, response) => response.end('x'.repeat(100)))
    const outbound = outboundTo(t)
    for (const [answerBytesMax, kept, truncated] of [
      [100, 100, false],
      [99, 99, true],
      [0, 0, true],
    ] as const) {
      const answer = await outbound.request({ url, answerBytesMax })
      assert.equal(answer.body.length, kept)
      assert.equal(answer.truncated, truncated)
    }
  })

  test('gives up a slow drip after the total time, however steadily it drips', async (t) => {
    const { url } = await serving(t, (_request, response) => {
      const drip = setInterval(() => response.write('.'), 10)
      response.on('close', () => clearInterval(drip))
    })
    await assertFails(outboundTo(t).request({ url, timeoutMs: 150 }), 'timeout', /within 0\.15 s/)
  })

  test('gives up a slow drip of headers and of interim answers too', async (t) => {
    for (const drop of ['x-a: b\r\n', 'HTTP/1.1 103 Early Hints\r\n\r\n']) {
      const { url } = await speaking(t, (socket) => {
        if (drop.startsWith('x')) socket.write('HTTP/1.1 200 OK\r\n')
        const drip = setInterval(() => socket.write(drop), 10)
        socket.on('close', () => clearInterval(drip))
      })
      await assertFails(outboundTo(t).request({ url, timeoutMs: 100 }), 'timeout', /within 0\.1 s/)
    }
  })

  test('gives up a server that says nothing', async (t) => {
    const { url, sockets } = await speaking(t, () => {})
    await assertFails(outboundTo(t).request({ url, timeoutMs: 50 }), 'timeout', /did not answer completely/)
    // none, if the machine stood still before it was connected
    for (const socket of sockets) await closed(socket)
  })

  test('refuses more than 16 KiB of headers, be they many or long', async (t) => {
    const many = Array.from({ length: 1000 }, (_, index) => `x-header-${index}: some value\r\n`).join('')
    for (const headers of [many, `x-long: ${'x'.repeat(20_000)}\r\n`]) {
      const { url } = await speaking(t, (socket) => socket.end(`HTTP/1.1 200 OK\r\n${headers}\r\n`))
      await assertFails(outboundTo(t).request({ url }), 'protocol', /headers/)
    }
  })

  test('never inflates: a compressed bomb stays as small as it was sent', async (t) => {
    const bomb = gzipSync(Buffer.alloc(32 * 1024 * 1024))
    const { url } = await serving(t, (_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)
    })
    const answer = await outboundTo(t).request({ url, answerBytesMax: 1024 * 1024 })
    assert.equal(answer.truncated, false)
    assert.deepEqual(answer.body, bomb)
  })

  test('takes the final answer after interim ones', async (t) => {
    const interim = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'
    const { url } = await speaking(t, (socket) => {
      socket.end(`${interim}${interim}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok`)
    })
    const answer = await outboundTo(t).request({ url })
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.headers, { 'content-length': '2' })
    assert.equal(answer.body.toString(), 'ok')
  })
})

describe('a failed call names its stage', () => {
  test('guard: the door refused', async (t) => {
    const outbound = outboundTo(t, async () => ['10.0.0.1'])
    for (const url of ['http://10.0.0.1/', 'http://inner.example/', 'ftp://inner.example/']) {
      const failure = await assertFails(outbound.request({ url }), 'guard', /^"?(10|inner|Only)/)
      assert.ok(failure.cause instanceof OutboundRefused)
      await assertFails(outbound.fetch(url), 'guard', /^"?(10|inner|Only)/)
    }
  })

  test('dns: the name does not resolve', async (t) => {
    const missing = outboundTo(t, () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' })))
    await assertFails(missing.request({ url: 'http://gone.example/' }), 'dns', /^gone\.example does not resolve\.$/)
    await assertFails(missing.fetch('http://gone.example/'), 'dns', /does not resolve/)
    const broken = outboundTo(t, () => Promise.reject(Object.assign(new Error('no'), { code: 'EAI_AGAIN' })))
    await assertFails(broken.request({ url: 'http://gone.example/' }), 'dns', /EAI_AGAIN/)
    await assertFails(outboundTo(t, async () => []).request({ url: 'http://gone.example/' }), 'dns', /ENODATA/)
  })

  test('connect: nobody listens', async (t) => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    await new Promise((resolve) => server.close(resolve))
    const url = `http://hook.example:${port}/`
    await assertFails(outboundTo(t).request({ url }), 'connect', /^hook\.example refused the connection\.$/)
    await assertFails(outboundTo(t, async () => ['::1', '127.0.0.1']).request({ url }), 'connect', /refused|reached/)
    await assertFails(outboundTo(t).fetch(url), 'connect', /refused/)
  })

  test('connect: not in time, be it the name, the whole pool’s limit or the handshake', async (t) => {
    const url = 'http://hook.example/'
    await assertFails(outboundTo(t, neverResolves).request({ url, connectTimeoutMs: 20 }), 'connect', /in time/)
    const impatient = outboundTo(t, neverResolves, { connectTimeoutMs: 20 })
    await assertFails(impatient.request({ url, connectTimeoutMs: 9000 }), 'connect', /in time/)
    await assertFails(impatient.fetch(url), 'connect', /in time/)
    const { port, sockets } = await speaking(t, () => {})
    const patient = outboundTo(t, undefined, { connectTimeoutMs: 50 })
    await assertFails(patient.fetch(`https://hook.example:${port}/`), 'connect', /in time/)
    for (const socket of sockets) await closed(socket)
  })

  test('tls: the other side speaks plain HTTP', async (t) => {
    const { port } = await serving(t, (_request, response) => response.end())
    await assertFails(outboundTo(t).request({ url: `https://hook.example:${port}/` }), 'tls', /^The secure connection/)
    await assertFails(outboundTo(t).fetch(`https://hook.example:${port}/`), 'tls', /^The secure connection/)
  })

  test('tls: the other side hangs up', async (t) => {
    const { port } = await speaking(t, (socket) => socket.destroy())
    await assertFails(outboundTo(t).request({ url: `https://hook.example:${port}/` }), 'tls', /ECONNRESET/)
  })

  test('protocol: what comes back is not a complete HTTP answer', async (t) => {
    const answers = [
      'SSH-2.0-OpenSSH_9.2\r\n',
      'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort',
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nx',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
      'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
      '',
    ]
    for (const text of answers) {
      const { url } = await speaking(t, (socket) => socket.end(text))
      await assertFails(outboundTo(t).request({ url }), 'protocol', /^hook\.example (did|closed)/)
    }
    const { url } = await speaking(t, (socket) => void socket.resetAndDestroy())
    await assertFails(outboundTo(t).request({ url }), 'protocol', /closed the connection/)
    await assertFails(outboundTo(t).fetch(url), 'protocol', /closed the connection/)
  })

  test('aborted: by a signal, before the call, before the connection and in the middle of the answer', async (t) => {
    const cause = new Error('changed my mind')
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const { url, sockets } = await serving(t, (_request, response) => response.write('begin', () => begin()))
    const aborted = outboundTo(t).request({ url, signal: AbortSignal.abort(cause) })
    assert.equal((await assertFails(aborted, 'aborted', /by its caller/)).cause, cause)
    assert.equal(sockets.length, 0)

    const { promise: found, resolve: find } = Promise.withResolvers<string[]>()
    const waiting = new AbortController()
    const early = outboundTo(t, () => found).request({ url, signal: waiting.signal })
    waiting.abort(cause)
    await assertFails(early, 'aborted', /by its caller/)
    find(['127.0.0.1'])

    const reading = new AbortController()
    const late = outboundTo(t).request({ url, signal: reading.signal })
    await begun
    reading.abort()
    await assertFails(late, 'aborted', /by its caller/)
  })

  test('aborted: a request given up before its connection came is never sent', async (t) => {
    let requests = 0
    const { url, sockets } = await serving(t, (_request, response) => (requests++, response.end('ok')))
    const { promise: found, resolve: find } = Promise.withResolvers<string[]>()
    const outbound = outboundTo(t, () => found)
    await assertFails(outbound.request({ url, method: 'POST', body: 'x', timeoutMs: 10 }), 'timeout', /within/)
    find(['127.0.0.1'])
    assert.equal((await outbound.request({ url })).body.toString(), 'ok')
    assert.ok(sockets.length >= 1)
    assert.equal(requests, 1)
  })

  test('aborted: the service is shutting down', async (t) => {
    const { url } = await speaking(t, () => {})
    const outbound = outboundTo(t)
    const running = outbound.request({ url })
    const fetching = outbound.fetch(url)
    const ended = [assertFails(running, 'aborted', /shutting down/), assertFails(fetching, 'aborted', /shutting down/)]
    await outbound.close()
    await Promise.all(ended)
    await assertFails(outbound.request({ url }), 'aborted', /shutting down/)
  })
})

describe('fetch', () => {
  test('takes a URL with options or a Request, and answers with a Response of the platform', async (t) => {
    const { url } = await serving(t, (request, response) => {
      let body = ''
      request.setEncoding('utf8').on('data', (text: string) => (body += text))
      request.on('end', () => {
        response.writeHead(201, { 'set-cookie': ['a=1', 'b=2'], 'content-type': 'application/json' })
        response.end(JSON.stringify([request.method, request.headers['x-one'], request.headers['content-type'], body]))
      })
    })
    const { fetch } = outboundTo(t)
    const form = new URLSearchParams({ grant_type: 'code' })
    const answer = await fetch(new URL(url), { method: 'POST', headers: new Headers({ 'x-one': '1' }), body: form })
    assert.ok(answer instanceof Response)
    assert.equal(answer.status, 201)
    assert.equal(answer.url, url)
    assert.deepEqual(answer.headers.getSetCookie(), ['a=1', 'b=2'])
    const formType = 'application/x-www-form-urlencoded;charset=UTF-8'
    assert.deepEqual(await answer.json(), ['POST', '1', formType, 'grant_type=code'])
    const request = new Request(url, { method: 'PUT', headers: { 'x-one': '2', 'content-type': 'a/b' }, body: 'hello' })
    assert.deepEqual(await (await fetch(request)).json(), ['PUT', '2', 'a/b', 'hello'])
    const changed = await fetch(new Request(url, { headers: { 'x-one': '3' } }), { method: 'DELETE' })
    assert.deepEqual(((await changed.json()) as string[]).slice(0, 2), ['DELETE', '3'])
  })

  test('sends a form and the body of a Request with their length', async (t) => {
    const { url } = await serving(t, (request, response) => {
      let body = ''
      request.setEncoding('utf8').on('data', (text: string) => (body += text))
      request.on('end', () => response.end(`${request.headers['content-length'] === String(body.length)} ${body}`))
    })
    const { fetch } = outboundTo(t)
    const form = new FormData()
    form.set('field', 'value')
    const answer = await (await fetch(url, { method: 'POST', body: form })).text()
    assert.match(answer, /^true --[^]*name="field"\r\n\r\nvalue\r\n/)
    assert.equal(await (await fetch(new Request(url, { method: 'POST', body: 'text' }))).text(), 'true text')
    const host = new Request(url, { headers: { host: 'other.example' } })
    await assertFails(fetch(host), 'guard', /Host header/)
  })

  test('an answer without a body is given without one', async (t) => {
    const { url } = await serving(t, (_request, response) => response.writeHead(204).end())
    const answer = await outboundTo(t).fetch(url)
    assert.equal(answer.status, 204)
    assert.equal(answer.body, null)
  })

  test('streams what arrives, as long as it stays open', async (t) => {
    const { url } = await serving(t, (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n')
    })
    const reader = (await outboundTo(t).fetch(url)).body?.getReader()
    assert.equal(Buffer.from((await reader?.read())?.value ?? []).toString(), 'data: 1\n\n')
    await reader?.cancel()
  })

  test('fails when the inflated answer grows too large, and closes the connection', async (t) => {
    const bomb = gzipSync(Buffer.alloc(32 * 1024 * 1024))
    const { url, sockets } = await serving(t, (_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).write(bomb)
    })
    const answer = await outboundTo(t, undefined, { fetchBytesMax: 1024 * 1024 }).fetch(url)
    await assertFails(answer.text(), 'protocol', /too much/)
    await closed(sockets[0])
  })

  test('rejects with the signal’s reason when aborted, and as usual when called wrongly', async (t) => {
    const { url } = await speaking(t, () => {})
    const { fetch } = outboundTo(t)
    await assert.rejects(fetch(url, { signal: AbortSignal.timeout(20) }), { name: 'TimeoutError' })
    await assert.rejects(fetch(url, { signal: AbortSignal.abort() }), { name: 'AbortError' })
    await assert.rejects(fetch(url, { method: 'not a method' }), TypeError)
  })

  test('does not pass an unknown status on as an answer', async (t) => {
    const { url } = await speaking(t, (socket) => socket.end('HTTP/1.1 999 Denied\r\ncontent-length: 0\r\n\r\n'))
    await assertFails(outboundTo(t).fetch(url), 'protocol', /status 999/)
    assert.equal((await outboundTo(t).request({ url })).status, 999)
  })
})
