// Traces: what is sent, that nothing is loaded while they are off, and that a collector in trouble troubles nobody.
import assert from 'node:assert/strict'
import { registerHooks } from 'node:module'
import { spansIn } from '../../test/kit/otlp.ts'
import { startReceiver } from '../../test/kit/receiver.ts'
import { createLog } from './log.ts'
import { createTelemetry, rootSpanOf } from './telemetry.ts'
import { proves } from '../../test/kit/proves.ts'

const loaded: string[] = []
registerHooks({
  resolve(specifier, context, next) {
    if (specifier.startsWith('@opentelemetry/')) loaded.push(specifier)
    return next(specifier, context)
  },
})

const logged: string[] = []
const log = createLog('debug', { write: (line) => logged.push(line) })
const uuid = '01981c5e-7a40-7c8e-9d7a-4f5b6c7d8e9f'

proves('telemetry.off', 'without an endpoint nothing is loaded and nothing is sent', async () => {
  const telemetry = createTelemetry({ endpoint: undefined, headers: {}, log })
  telemetry.span('chat', {}, rootSpanOf(uuid)).end({}, 'trouble')
  await telemetry.shutdown()
  assert.deepEqual([loaded, logged], [[], []])
})

proves(
  'telemetry.sent',
  'a span reaches the collector with its ids, times, attributes and error, and with the headers that were set',
  async () => {
    const receiver = await startReceiver()
    receiver.answer(200, { 'content-type': 'application/json' }, '{}')
    const telemetry = createTelemetry({ endpoint: receiver.url, headers: { 'x-tenant': 'a b' }, log })
    const root = rootSpanOf(uuid)
    const parent = telemetry.span('outer', { some: 'thing' }, undefined, { as: root })
    const child = telemetry.span('inner', {}, parent.place, { isClient: true, startedAt: Date.now() - 5000 })
    child.end({ tokens: 3 }, 'refused')
    parent.end()
    await telemetry.shutdown()

    const [request] = receiver.received
    assert.deepEqual([request!.url, request!.headers['x-tenant']], ['/v1/traces', 'a b'])
    const { spans, resource } = spansIn(receiver.received)
    assert.equal(resource['service.name'], 'runyard')
    const outer = spans.find(({ name }) => name === 'outer')!
    const inner = spans.find(({ name }) => name === 'inner')!
    assert.deepEqual([outer.traceId, outer.spanId], ['01981c5e7a407c8e9d7a4f5b6c7d8e9f', '9d7a4f5b6c7d8e9f'])
    assert.deepEqual([outer.parentSpanId, outer.attributes, outer.isError], [undefined, { some: 'thing' }, false])
    assert.deepEqual([inner.traceId, inner.parentSpanId], [outer.traceId, outer.spanId])
    assert.deepEqual([inner.attributes, inner.isError], [{ tokens: 3, 'error.type': 'refused' }, true])
    assert.ok(inner.durationMs >= 5000)
    assert.ok(loaded.includes('@opentelemetry/sdk-trace'), 'the hook sees what is loaded')
  },
)

proves('telemetry.trouble', 'a collector that refuses is logged once, and again when it is back', async () => {
  const receiver = await startReceiver()
  receiver.answer(400)
  logged.length = 0
  const telemetry = createTelemetry({ endpoint: receiver.url, headers: {}, log })
  // a full batch goes at once, so nothing waits for a timer
  const sendBatch = () => {
    for (let n = 0; n < 512; n++) telemetry.span('work', {}, rootSpanOf(uuid)).end()
  }
  sendBatch()
  await receiver.got(1)
  receiver.answer(200, { 'content-type': 'application/json' }, '{}')
  sendBatch()
  await receiver.got(2)
  await telemetry.shutdown()
  const lines = logged.map((line) => JSON.parse(line) as { level: string; msg: string })
  assert.deepEqual(
    lines.map(({ level, msg }) => [level, msg]),
    [
      ['warn', 'traces could not be sent; they are dropped until they can'],
      ['info', 'traces are sent again'],
    ],
  )
})
