// The demo agent: made with the first team and never again, and its run does what its page says.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe } from 'node:test'
import { drainRuns } from '../test/kit/runs.ts'
import { testDatabase } from '../test/kit/postgres.ts'
import { testApp } from '../test/kit/testApp.ts'
import { readConfig } from './base/config.ts'
import type { Address } from './base/db.ts'
import { createLog } from './base/log.ts'
import { box } from './box.ts'
import { prepareDatabase } from './database.ts'
import type { FirstKey } from './firstStart.ts'
import { proves } from '../test/kit/proves.ts'

const log = createLog('silent')

/** A start up to where it would serve; each with the same address is the next start of that installation. */
async function installation() {
  const address = await testDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'runyard-demo-'))
  after(() => rm(dataDir, { recursive: true, force: true }))
  const configOf = (env: Record<string, string>) => readConfig({ RUNYARD_DATA_DIR: dataDir, ...env })
  return {
    address,
    dataDir,
    configOf,
    start: async (env: Record<string, string> = {}) => (await prepareDatabase(configOf(env), log, address)).firstKey,
  }
}

const demo = await installation()
const key = await demo.start()
const service = await testApp({ address: demo.address })

const call = (route: string, body?: object) => service.call(route, { key: key.secret!, ...(body && { body }) })

async function letTimePass(runId: string): Promise<void> {
  const { sql } = service.context.db
  const past = new Date(Date.now() - 1000).toISOString()
  await sql`
    update run_steps set result = jsonb_set(result, '{waiting_on,due_at}', to_jsonb(${past}::text))
    where run_id = ${runId} and state = 'waiting'`
  await sql`update runs set due_at = ${past} where id = ${runId}`
}

async function toItsApproval(message?: object) {
  const { body } = await call(`POST /v2/teams/${key.teamId}/runs`, { agent_id: key.demoAgentId, message })
  const runId: string = body.run_id
  await drainRuns(service)
  assert.equal((await call(`GET /v2/runs/${runId}`)).body.run.waiting_on.kind, 'time')
  await letTimePass(runId)
  await drainRuns(service)
  const waiting = (await call(`GET /v2/runs/${runId}`)).body
  assert.equal(waiting.run.waiting_on.kind, 'human')
  return { runId, request: waiting.pending_human_request }
}

async function answered({ runId, request }: Awaited<ReturnType<typeof toItsApproval>>, answer: object) {
  const { status } = await call(`POST /v2/runs/${runId}/human-requests/${request.id}/respond`, answer)
  assert.equal(status, 200)
  await drainRuns(service)
  return (await call(`GET /v2/runs/${runId}`)).body.run
}

async function agentNames(address: Address, { secret, teamId }: FirstKey): Promise<string[]> {
  const other = await testApp({ address })
  const { body } = await other.call(`GET /v2/teams/${teamId}/agents`, { key: secret! })
  await other.close()
  return body.agents.map(({ name }: { name: string }) => name)
}

describe('the demo agent', () => {
  proves('demo.once', 'is made at the first start, is there at the second, and stays deleted', async () => {
    const { address, start } = await installation()
    const first = await start()
    assert.ok(first.demoAgentId)
    assert.deepEqual(await start(), { ...first, isNew: false })
    assert.deepEqual(await agentNames(address, first), ['Demo: paper order'])

    const other = await testApp({ address })
    await other.call(`DELETE /v2/agents/${first.demoAgentId}`, { key: first.secret! })
    await other.close()
    assert.deepEqual(await start(), { ...first, isNew: false, demoAgentId: undefined })
    assert.deepEqual(await agentNames(address, first), [])
  })

  proves('demo.unwanted', 'is not made where a key was given or RUNYARD_DEMO is 0, then or later', async () => {
    for (const env of [{ RUNYARD_API_KEY: 'a-key-of-24-characters-or-more' }, { RUNYARD_DEMO: '0' }] as const) {
      const { address, start } = await installation()
      const first = await start(env)
      assert.equal(first.demoAgentId, undefined)
      assert.equal((await start()).demoAgentId, undefined)
      assert.deepEqual(await agentNames(address, first), [])
    }
  })

  proves(
    'start.keyShownOnce',
    'has its key shown once, by the first start and to a terminal, unless RUNYARD_API_KEY gave it',
    async () => {
      const { start, configOf } = await installation()
      const chosen = 'chosen-by-the-operator-0123456789'
      const told = (firstKey: FirstKey, isTerminal: boolean, env = {}) =>
        box(configOf(env), { baseUrl: 'http://127.0.0.1:4700', place: '/data', firstKey }, { isTerminal })
      const first = await start()
      const secret = first.secret!
      assert.ok(told(first, true).includes(`API key   ${secret} `))
      assert.ok(!told(first, false).includes(secret))
      const later = await start()
      assert.equal(later.secret, secret)
      for (const text of [told(first, false), told(later, true)]) {
        assert.ok(!text.includes(secret))
        assert.match(text, /API key +in \/.*\/first-key /)
        assert.match(text, /Bearer \$\(cat '\/.*\/first-key'\)"/)
      }
      const given = { RUNYARD_API_KEY: chosen }
      const withGiven = told(await start(given), true, given)
      assert.ok(!withGiven.includes(chosen))
      assert.match(withGiven, /API key +as RUNYARD_API_KEY says/)
      const fresh = await installation()
      const firstWithGiven = box(
        fresh.configOf(given),
        { baseUrl: 'http://127.0.0.1:4700', place: '/data', firstKey: await fresh.start(given) },
        { isTerminal: true },
      )
      assert.ok(!firstWithGiven.includes(chosen))
    },
  )

  proves('demo.box', 'is named in the box, with commands that start a run of it', async () => {
    const { start, configOf, dataDir } = await installation()
    const firstKey = await start()
    const running = { baseUrl: 'http://127.0.0.1:4700', place: '/data', firstKey }
    const told = box(configOf({}), running, { isTerminal: true })
    const [framed, below] = told.split('┘') as [string, string]
    assert.ok(framed.includes(`Demo      agent ${firstKey.demoAgentId}`))
    assert.ok(below.includes(`  RUNYARD_DATA_DIR='${dataDir}' npx runyard run ${firstKey.demoAgentId} --wait\n`))
    assert.ok(below.indexOf('npx runyard') < below.indexOf('curl'), 'the command line comes first')
    const usual = box(configOf({ RUNYARD_DATA_DIR: '' }), running, { isTerminal: true })
    assert.ok(usual.includes(`  npx runyard run ${firstKey.demoAgentId} --wait\n`))
    assert.ok(below.includes(`curl http://127.0.0.1:4700/v2/teams/${firstKey.teamId}/runs \\\n`))
    assert.ok(below.includes(`-d '{"agent_id": "${firstKey.demoAgentId}"}'`))
    const without = box(
      configOf({}),
      { ...running, firstKey: { ...firstKey, demoAgentId: undefined } },
      { isTerminal: true },
    )
    assert.doesNotMatch(without, /Demo|curl|npx/)
  })
})

describe('a run of the demo agent', () => {
  proves('demo.run', 'counts, waits, asks, and after the answer says what it did', async () => {
    const asked = await toItsApproval()
    assert.equal(asked.request.title, 'Order ten boxes of paper?')
    assert.equal(asked.request.description, 'On the shelves: 12 + 7 + 23.\nIn all: 42 boxes.')
    const run = await answered(asked, { approved: true, comment: 'Recycled, please.' })
    assert.deepEqual([run.status, run.usage.steps], ['completed', 4])
    assert.deepEqual(run.output, { boxes_left: 42, ordered: true, comment: 'Recycled, please.' })
  })

  proves('demo.run', 'takes its counts from the message, and a no ends it well too', async () => {
    const asked = await toItsApproval({ shelves: [4, 9, 2] })
    assert.equal(asked.request.description, 'On the shelves: 4 + 9 + 2.\nIn all: 15 boxes.')
    const run = await answered(asked, { approved: false })
    assert.deepEqual([run.status, run.output], ['completed', { boxes_left: 15, ordered: false, comment: null }])
  })
})
