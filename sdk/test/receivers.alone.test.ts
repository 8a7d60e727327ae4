// The example receivers of webhooks, each with a real delivery of a real service, and with one that the secret did not sign.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { registerHooks } from 'node:module'
import type { AddressInfo } from 'node:net'
import { after, before, describe } from 'node:test'
import { serve, type ServerType } from '@hono/node-server'
import { proves } from '../../server/test/kit/proves.ts'
import { startReceiver, type Received } from '../../server/test/kit/receiver.ts'
import { preparedDataDir, startService, type Service } from '../../server/test/survival/processes.ts'
import { Runyard, type RunyardEvent } from '../src/index.ts'

// the examples name the package as its users do; here it is the source
const source = new URL('../src/index.ts', import.meta.url).href
const hooks = registerHooks({
  resolve: (name, context, next) => (name === '@runyard/sdk' ? next(source, context) : next(name, context)),
})
after(() => hooks.deregister())

const portOf = (server: Server | ServerType): number => (server.address() as AddressInfo).port

const requestOf = ({ headers, body }: Received, changed: string) =>
  new Request('http://127.0.0.1/webhook', {
    method: 'POST',
    headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
    body: body.toString() + changed,
  })

describe('receivers of webhooks', () => {
  let service: Service
  let runyard: Runyard
  let secret: string
  let remove: () => Promise<void>
  before(async () => {
    const dataDir = await preparedDataDir()
    remove = dataDir.remove
    service = await startService({ dataDir: dataDir.path, env: { RUNYARD_ALLOW_PRIVATE_HOSTS: '127.0.0.1' } })
    runyard = new Runyard({ apiKey: service.key, baseUrl: service.baseUrl })
    secret = (await runyard.webhooks.getSecret()).secret
  })
  after(async () => {
    await service.stop()
    await remove()
  })

  /** Has the service deliver an event to this URL. */
  async function deliverTo(url: string): Promise<void> {
    const { subscription_id } = await runyard.webhooks.create({ url, events: ['queue.case.created'] })
    const { queue_id } = await runyard.queues.create({ name: `Delivered to ${url}` })
    await runyard.cases.create(queue_id, { case: { title: 'größer' } })
    await arrived
    await runyard.webhooks.delete(subscription_id)
  }

  let arrived: Promise<unknown>
  let onEvent: (event: RunyardEvent) => void
  let got: RunyardEvent | undefined
  function expectOne(): void {
    got = undefined
    arrived = new Promise<void>((resolve) => {
      onEvent = (event) => {
        got = event
        resolve()
      }
    })
  }

  async function tryReceiver(url: string): Promise<void> {
    expectOne()
    await deliverTo(url)
    assert.ok(got?.event === 'queue.case.created' && got.data.case.title === 'größer')
    const { status } = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-service-signature': `t=${Math.floor(Date.now() / 1000)},v1=00`,
      },
      body: JSON.stringify(got),
    })
    assert.equal(status, 400)
  }

  proves('sdk.receivers', 'Express takes a delivery and refuses what the secret did not sign', async () => {
    const { webhookApp } = await import('../../examples/webhooks/express.ts')
    const server = createServer(webhookApp(secret, (event) => onEvent(event))).listen(0, '127.0.0.1')
    await once(server, 'listening')
    await tryReceiver(`http://127.0.0.1:${portOf(server)}/webhook`)
    server.closeAllConnections()
    server.close()
  })

  proves('sdk.receivers', 'Fastify takes a delivery and refuses what the secret did not sign', async () => {
    const { webhookApp } = await import('../../examples/webhooks/fastify.ts')
    const app = webhookApp(secret, (event) => onEvent(event))
    await tryReceiver(`${await app.listen({ host: '127.0.0.1', port: 0 })}/webhook`)
    app.server.closeAllConnections()
    await app.close()
  })

  proves('sdk.receivers', 'Hono takes a delivery and refuses what the secret did not sign', async () => {
    const { webhookApp } = await import('../../examples/webhooks/hono.ts')
    const { fetch: answer } = webhookApp(secret, (event) => onEvent(event))
    const server = serve({ fetch: answer, hostname: '127.0.0.1', port: 0 })
    await once(server, 'listening')
    await tryReceiver(`http://127.0.0.1:${portOf(server)}/webhook`)
    if ('closeAllConnections' in server) server.closeAllConnections()
    server.close()
  })

  proves('sdk.receivers', 'Next takes a delivery and refuses a changed one', async () => {
    process.env['WEBHOOK_SECRET'] = secret
    const { POST } = await import('../../examples/webhooks/next.ts')
    const receiver = await startReceiver()
    arrived = receiver.got(1)
    await deliverTo(`${receiver.url}/webhook`)
    const [delivery] = receiver.received
    assert.ok(delivery)
    assert.equal((await POST(requestOf(delivery, ''))).status, 204)
    assert.equal((await POST(requestOf(delivery, ' '))).status, 400)
  })
})
