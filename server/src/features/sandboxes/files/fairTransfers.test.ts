// Transfers by signed URLs: a team whose transfers do not end leaves some of the process to the others.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import { seedTeam, type TestTeam } from '../../../../test/kit/seed.ts'
import { testApp } from '../../../../test/kit/testApp.ts'
import { transfersOf } from '../../../kit/transfers.ts'
import { proves } from '../../../../test/kit/proves.ts'

const service = await testApp({ config: { transfersMax: 4 } })
await service.listen()
const pool = transfersOf(service.context)

async function filesOf(team: TestTeam) {
  const { sandbox_id } = (await team.call('POST /v2/sandboxes')).body
  const files = `/v2/sandboxes/${sandbox_id}`
  const uploadUrl = async (path: string): Promise<string> =>
    (await team.call(`POST ${files}/upload-urls`, { body: { path } })).body.upload_url
  assert.equal((await fetch(await uploadUrl('there.txt'), { method: 'PUT', body: 'there' })).status, 201)
  const { download_url } = (await team.call(`GET ${files}/files/content?path=there.txt`)).body
  return { uploadUrl, download_url: download_url as string }
}

/** An upload that sends half of its bytes and then waits. */
function beginPut(url: string): ClientRequest {
  const request = httpRequest(url, { method: 'PUT', headers: { 'content-length': 200 } })
  request.on('error', () => undefined)
  request.write(Buffer.alloc(100))
  return request
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await turn()
}

proves(
  'pools.transfers',
  'while one team holds its share with endless uploads, another team sends and gets files',
  async () => {
    const [noisy, quiet] = [await seedTeam(service), await seedTeam(service)]
    const [loud, calm] = [await filesOf(noisy), await filesOf(quiet)]
    await until(() => pool.taken() === 0)
    assert.deepEqual([pool.size, pool.perTeam], [4, 3])
    const held = (await Promise.all(['a', 'b', 'c'].map(loud.uploadUrl))).map(beginPut)
    const stored = held.map((request) => once(request, 'response') as Promise<[IncomingMessage]>)
    await until(() => pool.taken(noisy.id) === 3)

    const more = Array.from({ length: 16 }, () => get(loud.download_url).on('error', () => undefined))
    const served = more.slice(1).map((request) => once(request, 'response') as Promise<[IncomingMessage]>)
    await until(() => pool.waiting(noisy.id) === 16)
    const refused = await fetch(loud.download_url)
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '1'])
    assert.match(((await refused.json()) as { message: string }).message, /16 calls waiting for file transfers/)

    assert.equal((await fetch(await calm.uploadUrl('mine.txt'), { method: 'PUT', body: 'mine' })).status, 201)
    assert.equal(await (await fetch(calm.download_url)).text(), 'there')

    // a caller that leaves does not delay anybody
    more[0]!.destroy()
    await until(() => pool.waiting(noisy.id) === 15)
    for (const request of held) request.end(Buffer.alloc(100))
    for (const [answer] of await Promise.all(stored)) {
      assert.equal(answer.statusCode, 201)
      answer.resume()
    }
    for (const [answer] of await Promise.all(served)) {
      assert.equal(answer.statusCode, 200)
      answer.resume()
    }
    await until(() => pool.taken() === 0)
  },
)

proves('pools.transfers', 'a transfer whose caller breaks it off gives its slot back', async () => {
  const team = await seedTeam(service)
  const { uploadUrl } = await filesOf(team)
  const broken = beginPut(await uploadUrl('broken'))
  await until(() => pool.taken(team.id) === 1)
  broken.destroy()
  await until(() => pool.taken(team.id) === 0)
})
