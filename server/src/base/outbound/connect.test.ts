// Tests of guarded connections over TLS: the name stays the name, whatever address is dialled.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttpsServer, type ServerOptions } from 'node:https'
import { createServer, type AddressInfo } from 'node:net'
import { describe, test, type TestContext } from 'node:test'
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls'
import { selfSigned, type Identity } from '../../../test/kit/selfSigned.ts'
import { createOutbound, OutboundFailure, type Outbound } from './fetch.ts'
import { createGuard } from './guard.ts'

const trusted = selfSigned('hook.example')
setDefaultCACertificates([...getCACertificates('default'), trusted.cert])

type Seen = { servername: string | false | null; host: string | undefined; alpn: string | false | null }

async function secureServer(t: TestContext, identity: Identity, options: ServerOptions = {}) {
  const seen: Seen[] = []
  const server = createHttpsServer({ ...identity, ...options }, (request, response) => {
    const { servername, alpnProtocol } = request.socket as TLSSocket & { servername: string | false }
    seen.push({ servername, host: request.headers.host, alpn: alpnProtocol })
    response.end('secure')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => (server.closeAllConnections(), server.close()))
  return { port: (server.address() as AddressInfo).port, seen }
}

const resolve = async (): Promise<string[]> => ['127.0.0.1']

function outboundTo(t: TestContext): Outbound {
  const outbound = createOutbound(createGuard({ allowPrivateHosts: ['127.0.0.1'], resolve }))
  t.after(() => outbound.close())
  return outbound
}

const failsAt = (stage: string, sentence: RegExp) => (error: unknown) => {
  assert.ok(error instanceof OutboundFailure, String(error))
  assert.equal(error.stage, stage, error.message)
  assert.match(error.message, sentence)
  return true
}

describe('a secure connection', () => {
  test('tells the server the name of the URL, and asks for that name’s certificate', async (t) => {
    const { port, seen } = await secureServer(t, trusted)
    const outbound = outboundTo(t)
    const answer = await outbound.request({ url: `https://hook.example:${port}/` })
    assert.equal(answer.body.toString(), 'secure')
    assert.equal(answer.address, '127.0.0.1')
    assert.equal(await (await outbound.fetch(`https://hook.example.:${port}/`)).text(), 'secure')
    assert.deepEqual(seen, [
      { servername: 'hook.example', host: `hook.example:${port}`, alpn: 'http/1.1' },
      { servername: 'hook.example', host: `hook.example.:${port}`, alpn: 'http/1.1' },
    ])
  })

  test('to an address names none, and asks for a certificate of that address', async (t) => {
    const { port, seen } = await secureServer(t, trusted)
    await outboundTo(t).request({ url: `https://127.0.0.1:${port}/` })
    assert.deepEqual(seen, [{ servername: false, host: `127.0.0.1:${port}`, alpn: 'http/1.1' }])
  })

  test('fails for a name the certificate is not for, though the address is the same', async (t) => {
    const { port, seen } = await secureServer(t, trusted)
    const call = outboundTo(t).request({ url: `https://other.example:${port}/` })
    await assert.rejects(call, failsAt('tls', /ERR_TLS_CERT_ALTNAME_INVALID/))
    assert.deepEqual(seen, [])
  })

  test('fails for a certificate nobody vouches for', async (t) => {
    const { port, seen } = await secureServer(t, selfSigned('hook.example'))
    const url = `https://hook.example:${port}/`
    await assert.rejects(
      outboundTo(t).request({ url }),
      failsAt('tls', /^The secure connection to hook\.example failed/),
    )
    await assert.rejects(outboundTo(t).fetch(url), failsAt('tls', /^The secure connection to hook\.example failed/))
    assert.deepEqual(seen, [])
  })

  test('is HTTP/1.1 also with a server that would rather speak HTTP/2', async (t) => {
    const { port, seen } = await secureServer(t, trusted, { ALPNProtocols: ['h2', 'http/1.1'] })
    await outboundTo(t).request({ url: `https://hook.example:${port}/` })
    assert.equal(seen[0]?.alpn, 'http/1.1')
  })
})

describe('closing', () => {
  test('ends a handshake under way, and holds nothing open', async (t) => {
    const { promise: accepted, resolve: accept } = Promise.withResolvers<void>()
    const { promise: gone, resolve: leave } = Promise.withResolvers<void>()
    const server = createServer((socket) => {
      accept()
      socket.on('error', () => {}).on('close', () => leave())
      socket.resume()
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.after(() => server.close())
    const outbound = outboundTo(t)
    const call = outbound.request({ url: `https://hook.example:${(server.address() as AddressInfo).port}/` })
    const failed = assert.rejects(call, failsAt('aborted', /shutting down/))
    await accepted
    await outbound.close()
    await Promise.all([failed, gone])
  })
})
