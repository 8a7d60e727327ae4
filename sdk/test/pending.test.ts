// The walk over pending requests, from a server whose list gets shorter while it is read.
import assert from 'node:assert/strict'
import { proves } from '../../server/test/kit/proves.ts'
import { Runyard } from '../src/index.ts'
import { answerJson, localServer } from './kit/localServer.ts'

proves('sdk.people', 'a request that is answered during the walk hides no other', async () => {
  const pending = Array.from({ length: 95 }, (_, index) => ({ id: String(index), run_id: 'run', type: 'approval' }))
  const { url } = await localServer((response, { method, path }) => {
    const { pathname, searchParams } = new URL(path, 'http://any')
    if (method === 'GET') {
      const offset = Number(searchParams.get('offset'))
      const human_requests = pending.slice(offset, offset + 20)
      return answerJson(response, 200, { human_requests, total: pending.length })
    }
    const [id] = pathname.split('/').slice(-2)
    const [answered] = pending.splice(
      pending.findIndex((one) => one.id === id),
      1,
    )
    answerJson(response, 200, { human_request: answered })
  })
  const runyard = new Runyard({ baseUrl: url, apiKey: 'none', teamId: 'team' })
  const given: string[] = []
  for await (const request of runyard.humanRequests.pending()) {
    given.push(request.request.id)
    await request.approve()
  }
  assert.equal(new Set(given).size, 95)
  assert.equal(given.length, 95)
})
