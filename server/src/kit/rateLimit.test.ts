// The window as one process sees it: headers, refusal, and strangers counted by address.
import assert from 'node:assert/strict'
import { testDatabase } from '../../test/kit/postgres.ts'
import { seedTeam } from '../../test/kit/seed.ts'
import { testApp } from '../../test/kit/testApp.ts'
import { createRateLimit } from './rateLimit.ts'
import { proves } from '../../test/kit/proves.ts'

const address = await testDatabase()
const service = await testApp({ address, config: { rateLimit: 5 } })
const { sql } = service.context.db

/** Puts a bucket's window into the past, as if its minute were over for the database. */
const endWindows = () => sql`update rate_windows set window_start = window_start - interval '1 minute'`

proves(
  'rateLimit.headers',
  'every answer has the limit, the remainder and the reset, up to the first 429',
  async () => {
    await untilEarlyInTheMinute()
    const team = await seedTeam(service)
    for (let left = 4; left >= 0; left--) {
      const { status, headers } = await team.call('GET /v2/teams')
      assert.equal(status, 200)
      assert.equal(headers['ratelimit-limit'], '5')
      assert.equal(headers['ratelimit-remaining'], String(left))
      assert.ok(Number(headers['ratelimit-reset']) >= 1 && Number(headers['ratelimit-reset']) <= 60)
    }
    const refused = await team.call('GET /v2/teams')
    assert.equal(refused.status, 429)
    assert.equal(refused.body.error, 'rate_limited')
    assert.equal(refused.headers['retry-after'], refused.headers['ratelimit-reset'])
    assert.equal(refused.headers['ratelimit-remaining'], '0')
  },
)

proves(
  'rateLimit.perCredential',
  'another credential has a window of its own, below the team’s, which is ten times as large',
  async () => {
    await untilEarlyInTheMinute()
    const team = await seedTeam(service)
    const limit = createRateLimit(sql)
    const taken = await Promise.all(
      Array.from({ length: 60 }, (_, index) => limit.take(`credential ${team.id} ${index % 12}`, 5)),
    )
    assert.equal(taken.filter(({ admitted }) => admitted).length, 60)
    const ofTeam = await Promise.all(Array.from({ length: 60 }, () => limit.take(`team ${team.id}`, 50)))
    assert.equal(ofTeam.filter(({ admitted }) => admitted).length, 50)
  },
)

proves(
  'rateLimit.strangers',
  'requests without a valid credential are counted by address, and a good credential is not held up by them',
  async () => {
    await untilEarlyInTheMinute()
    const team = await seedTeam(service)
    assert.equal((await team.call('GET /v2/teams')).status, 200)
    const statuses = []
    for (let i = 0; i < 7; i++)
      statuses.push((await service.call('GET /v2/teams', { key: 'nobody-knows-this-one' })).status)
    assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429, 429])
    assert.equal((await team.call('GET /v2/teams')).status, 200)
  },
)

proves('rateLimit.window', 'a new minute of the database is a fresh window for a process that asks', async () => {
  await untilEarlyInTheMinute()
  const name = 'window test'
  const first = createRateLimit(sql)
  for (let i = 0; i < 3; i++) await first.take(name, 3)
  assert.equal((await first.take(name, 3)).admitted, false)
  assert.equal((await createRateLimit(sql).take(name, 3)).admitted, false)
  await endWindows()
  assert.equal((await createRateLimit(sql).take(name, 3)).admitted, true)
})

/** Each test needs one minute that does not end under it, on a busy machine too: near its end, wait for the next one on the database's clock. */
async function untilEarlyInTheMinute(): Promise<void> {
  await sql`select pg_sleep(case when extract(second from clock_timestamp()) > 40
    then 60 - extract(second from clock_timestamp()) + 0.05 else 0 end)`
}
