// How many live streams a credential, a team and a process may hold open; a stream that ends makes room.
import assert from 'node:assert/strict'
import { readStream } from '../../test/kit/eventStream.ts'
import { seedTeam, type TestTeam } from '../../test/kit/seed.ts'
import { testApp } from '../../test/kit/testApp.ts'
import { issueApiKey } from '../features/credentials/apiKey.ts'
import { proves } from '../../test/kit/proves.ts'

const path = '/v2/teams/:teamId/events'

const refusal = async (team: TestTeam, key = team.key) => {
  const { status, body, headers } = await team.call(`GET ${path}`, { key })
  return [status, body.error, headers['retry-after'], /^This \w+ has[^.]*/.exec(body.message)?.[0]]
}

proves(
  'pools.streams',
  'streams are capped for a credential, a team and the process, and each end makes room',
  async () => {
    const service = await testApp({ config: { streamsMax: 4, streamsOfKeyMax: 2, teamShare: 75 } })
    const baseUrl = await service.listen()
    const noisy = await seedTeam(service)
    const quiet = await seedTeam(service)
    const { secret } = await issueApiKey(service.context.db.sql, {
      teamId: noisy.id,
      memberId: noisy.memberId,
      name: 'second',
      scopes: ['runs:read'],
    })
    const open = (team: TestTeam, key = team.key) => readStream(baseUrl, team, path, { key })

    const first = await open(noisy)
    await open(noisy)
    const ofKey = 'This credential has 2 streams open here, which is the most'
    assert.deepEqual(await refusal(noisy), [429, 'rate_limited', '5', ofKey])
    await open(noisy, secret)
    const ofTeam = 'This team has 3 streams open here, which is the most'
    assert.deepEqual(await refusal(noisy, secret), [429, 'rate_limited', '5', ofTeam])
    await open(quiet)
    assert.deepEqual(await refusal(quiet), [
      429,
      'rate_limited',
      '5',
      'This process has as many streams open as it may',
    ])
    first.leave()
    while (!service.logged.some((line) => line.includes('stream ended'))) await new Promise(setImmediate)
    await open(noisy, secret)
  },
)
