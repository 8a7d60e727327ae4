// What happens to an event whose signature needs a secret that the service does not give at once.
import assert from 'node:assert/strict'
import { NotSignedInError, Runyard, type RunyardEvent } from '../../../sdk/src/index.ts'
import { answerJson, localServer, refusal } from '../../../sdk/test/kit/localServer.ts'
import { proves } from '../../../server/test/kit/proves.ts'
import { startReceiver } from '../../../server/test/kit/receiver.ts'
import { outputOf } from '../output.ts'
import { forwarder } from './forward.ts'

const event = { id: 'one', event: 'run.completed', created_at: '', data: {} } as unknown as RunyardEvent

/** Sends the event by a service that answers for its secret as it is told, and gives the receiver and what was said. */
async function forwardBy(statusOf: (index: number) => number) {
  const { url, asked } = await localServer((response, _, index) => {
    const status = statusOf(index)
    if (status === 200) answerJson(response, status, { secret: `whsec_${'a'.repeat(32)}` })
    else answerJson(response, status, refusal('internal_error'), { 'retry-after': '0' })
  })
  const receiver = await startReceiver()
  let said = ''
  const stream = { write: (text: unknown) => (said += String(text)) }
  const out = outputOf({ json: false, csv: false, env: {}, stdout: stream, stderr: stream })
  const runyard = new Runyard({ baseUrl: url, apiKey: 'none', teamId: 'team' })
  const forward = forwarder(runyard, receiver.url, out, new AbortController().signal)
  return { forwarded: forward(event), receiver, asked, said: () => said }
}

proves('cli.listen', 'an event waits for a service that is away, as for its receiver', async () => {
  // more often than one call tries
  const { forwarded, receiver, said } = await forwardBy((index) => (index < 4 ? 503 : 200))
  assert.equal((await forwarded).status, 200)
  assert.equal(receiver.received.length, 1)
  assert.equal(said(), 'The service does not answer (It says internal_error.). It is tried again until it does.\n')
})

proves('cli.listen', 'a key that the service refuses ends the listener', async () => {
  const { forwarded, asked } = await forwardBy(() => 401)
  await assert.rejects(forwarded, NotSignedInError)
  assert.equal(asked.length, 1)
})
