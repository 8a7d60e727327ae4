// The context's way out: closed to private addresses unless the setting opens it.
import assert from 'node:assert/strict'
import { OutboundFailure } from '../src/base/outbound/fetch.ts'
import { startReceiver } from './kit/receiver.ts'
import { testApp } from './kit/testApp.ts'
import { proves } from './kit/proves.ts'

const receiver = await startReceiver()

proves(
  'outbound.setting',
  'RUNYARD_ALLOW_PRIVATE_HOSTS is what lets a call reach this machine, and nothing else does',
  async () => {
    const closed = await testApp()
    await assert.rejects(closed.context.outbound.request({ url: receiver.url }), (error) => {
      assert.ok(error instanceof OutboundFailure)
      assert.equal(error.stage, 'guard')
      return true
    })
    assert.equal(receiver.received.length, 0)

    const open = await testApp({ config: { allowPrivateHosts: ['127.0.0.1'] } })
    receiver.answer(202, {}, 'taken')
    const answer = await open.context.outbound.request({ method: 'POST', url: `${receiver.url}/hook`, body: 'hello' })
    assert.equal(answer.status, 202)
    const [got] = await receiver.got(1)
    assert.deepEqual([got!.method, got!.url, got!.body.toString()], ['POST', '/hook', 'hello'])
  },
)
