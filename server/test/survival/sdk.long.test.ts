// The SDK outlives kills of the service, broken streams and refusals: short forms of its proofs.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { proves } from '../kit/proves.ts'
import { preparedDataDir, type StartOptions } from './processes.ts'
import { Restarted } from './restarted.ts'
import { cutTeamStreams, isWithin, killBeforeAnswers, stormOfCalls, waitOverRestarts } from './sdk.ts'

const dataDirs = await Promise.all([preparedDataDir(), preparedDataDir()])
const [options, ofStorm] = dataDirs.map(({ path }): StartOptions => ({
  dataDir: path,
  env: { LOG_LEVEL: 'warn', RUNYARD_RATE_LIMIT: '0' },
}))
assert.ok(options && ofStorm)
const service = await Restarted.start(options)
after(async () => {
  await service.stop()
  await Promise.all(dataDirs.map(({ remove }) => remove()))
})

// it waits for the next minute most of the time, so the others run beside it
const storm = stormOfCalls({ ...ofStorm, args: ['--role', 'api'] }, { limit: 20, calls: 30 })
// its own test reports what it fails with
storm.catch(() => undefined)

proves('sdk.waits', 'runs that are waited for over kills of the service all give their results, once', async (t) => {
  const seen = await waitOverRestarts(service, { runs: 40, atOnce: 20, everyMs: 500, kills: 2 })
  t.diagnostic(JSON.stringify(seen))
  assert.deepEqual(seen, { runs: 40, results: 40, secondRuns: 0, kills: 2, errors: [] })
})

proves('sdk.streams', 'streams of a team that are cut at random bytes give every event once, in order', async (t) => {
  const seen = await cutTeamStreams(service, { cuts: 20, streams: 4 })
  t.diagnostic(JSON.stringify(seen))
  assert.ok(seen.cuts >= 20)
  assert.deepEqual([seen.lost, seen.repeated, seen.outOfOrder], [0, 0, 0])
})

proves('sdk.keys', 'kill -9 between request and answer leaves one effect', async (t) => {
  const seen = await killBeforeAnswers(service, { kills: 3 })
  t.diagnostic(JSON.stringify(seen))
  assert.deepEqual([seen.kills, seen.single], [3, 3])
  assert.ok(seen.replayed >= 1, 'an effect was there before its answer')
})

proves('sdk.retries', 'more calls than a minute takes are all answered, and the limit holds', async (t) => {
  const seen = await storm
  t.diagnostic(JSON.stringify(seen))
  assert.equal(seen.lost, 0)
  assert.ok(seen.refusals > 0 && isWithin(seen))
})
