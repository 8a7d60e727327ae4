// The corpus of forbidden addresses against every way out, with real listeners on loopback that count connections.

import assert from 'node:assert/strict'
import diagnostics from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test, type TestContext } from 'node:test'
import { createOutbound, OutboundFailure, type Outbound } from './fetch.ts'
import { createGuard, OutboundRefused, type Guard } from './guard.ts'
import { answers, answersOnSave, families, type Family } from '../../../test/hostile/ssrfCorpus.ts'
import { provesTogether } from '../../../test/kit/proves.ts'

const listeners: Server[] = []
let port = 0
let hasIPv6 = true
const connections = { '127.0.0.1': 0, '::1': 0 }
// Every TCP socket this process opens, to whatever address: stronger than what the listeners see.
let dials = 0
const countDial = (): void => void dials++

const reply: RequestListener = (request, response) => {
  if (request.url === '/redirect') response.writeHead(307, { location: `http://[::1]:${port}/secret` })
  response.end('reached')
}

async function listen(host: '127.0.0.1' | '::1', wantedPort: number): Promise<Server> {
  const server = createServer(reply).on('connection', () => connections[host]++)
  server.listen(wantedPort, host)
  await once(server, 'listening')
  return server
}

/** One port on both loopback addresses, so that each address of the corpus would meet a listener. */
async function listenOnBoth(attempts = 20): Promise<void> {
  const first = await listen('127.0.0.1', 0)
  port = (first.address() as AddressInfo).port
  try {
    listeners.push(first, await listen('::1', port))
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? ''
    hasIPv6 = !['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes(code)
    if (!hasIPv6) return void listeners.push(first)
    first.close()
    if (attempts === 0 || code !== 'EADDRINUSE') throw error
    await listenOnBoth(attempts - 1)
  }
}

const urlsOf = (family: Family): string[] => family.urls.map((url) => url.replaceAll('PORT', String(port)))

/** A guard whose names have moved on, or not, since they were saved. */
function guardOf(phase: 'saving' | 'connecting', allowPrivateHosts: string[] = []): Guard {
  const resolve = async (host: string): Promise<string[]> => {
    const found = (phase === 'saving' ? answersOnSave[host] : undefined) ?? answers[host]
    if (found === undefined) assert.fail(`the corpus says nothing about ${host}`)
    return found
  }
  return createGuard({ allowPrivateHosts, resolve })
}

async function assertRefused(url: string, call: () => Promise<unknown>): Promise<void> {
  await assert.rejects(call, (error) => {
    assert.ok(error instanceof OutboundFailure, `${url}: ${String(error)}`)
    assert.equal(error.stage, 'guard', `${url}: ${error.message}`)
    assert.ok(error.cause instanceof OutboundRefused)
    return true
  })
}

function outboundFor(t: TestContext, guard: Guard): Outbound {
  const outbound = createOutbound(guard)
  t.after(() => outbound.close())
  return outbound
}

before(async () => {
  await listenOnBoth()
  diagnostics.subscribe('net.client.socket', countDial)
})

after(() => {
  diagnostics.unsubscribe('net.client.socket', countDial)
  for (const server of listeners) server.close()
})

provesTogether('outbound.corpus', 'forbidden addresses', () => {
  test('number at least 300 in 20 families, each address once', (t) => {
    const all = families.flatMap((family) => family.urls)
    for (const family of families) t.diagnostic(`${String(family.urls.length).padStart(3)}  ${family.name}`)
    t.diagnostic(`${String(all.length).padStart(3)}  in ${families.length} families`)
    assert.ok(all.length >= 300 && families.length >= 20)
    assert.equal(new Set(all).size, all.length)
    assert.equal(new Set(families.map((family) => family.name)).size, families.length)
  })

  for (const family of families) {
    const whenSaved = family.passesSaving ? 'accepted when saved, refused' : 'refused when saved,'
    test(`${family.name}: ${whenSaved} by request, by fetch and by the connector alone`, async (t) => {
      const [saving, connecting] = [guardOf('saving'), guardOf('connecting')]
      const outbound = outboundFor(t, connecting)
      const unchecked = outboundFor(t, { ...connecting, checkUrl: (url) => new URL(url) })
      const earlier = { ...connections, dials }
      for (const url of urlsOf(family)) {
        if (family.passesSaving) assert.ok((await saving.checkOnSave(url)) instanceof URL)
        else await assert.rejects(saving.checkOnSave(url), OutboundRefused, url)
        await assertRefused(url, () => outbound.request({ url }))
        await assertRefused(url, () => outbound.fetch(url))
        if (family.isFormOnly || URL.parse(url) === null) continue
        await assertRefused(url, () => unchecked.request({ url }))
        await assertRefused(url, () => unchecked.fetch(url))
      }
      assert.deepEqual({ ...connections, dials }, earlier)
    })
  }

  test('are not reached by a redirect from an allowed one', async (t) => {
    const outbound = outboundFor(t, guardOf('connecting', ['127.0.0.1']))
    const earlier = { ...connections }
    const url = `http://127.0.0.1:${port}/redirect`
    const answer = await outbound.request({ url })
    assert.equal(answer.status, 307)
    assert.equal(answer.headers['location'], `http://[::1]:${port}/secret`)
    for (const redirect of ['follow', 'error', 'manual'] as const) {
      const response = await outbound.fetch(url, { redirect })
      assert.equal(response.status, 307)
      assert.equal(response.redirected, false)
      await response.text()
    }
    assert.ok(connections['127.0.0.1'] > earlier['127.0.0.1'])
    assert.equal(connections['::1'], earlier['::1'])
  })

  test('are reached, by the same listeners and counters, when the operator has listed them', async (t) => {
    const outbound = outboundFor(t, guardOf('connecting', ['127.0.0.0/8', '::1', 'rebind-1.example']))
    const withIPv6 = ['[::1]', '0--1.sslip.io', 'rebind-1.example', '[::ffff:127.0.0.1]']
    for (const host of ['2130706433', '127.0.0.1.nip.io', ...(hasIPv6 ? withIPv6 : [])]) {
      const earlier = { ...connections, dials }
      const url = `http://${host}:${port}/`
      const answer = await outbound.request({ url })
      assert.equal(answer.body.toString(), 'reached')
      const listener = answer.address === '::1' ? '::1' : '127.0.0.1'
      assert.equal(answer.address?.endsWith(listener), true)
      assert.equal(connections[listener], earlier[listener] + 1)
      assert.equal(dials, earlier.dials + 1)
      assert.equal(await (await outbound.fetch(url)).text(), 'reached')
    }
  })

  test('cannot slip in between vetting and dialling: a connection resolves once and dials that answer', async (t) => {
    let asked = 0
    const resolve = async (): Promise<string[]> => (asked++ === 0 ? ['127.0.0.1'] : ['::1'])
    const outbound = outboundFor(t, createGuard({ allowPrivateHosts: ['127.0.0.1'], resolve }))
    const url = `http://flip.example:${port}/`
    assert.equal((await outbound.request({ url })).address, '127.0.0.1')
    assert.equal(asked, 1)
  })
})
