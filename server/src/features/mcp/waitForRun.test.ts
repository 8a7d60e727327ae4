// The tool waitForRun: it answers when there is something to say of the run, and not before its time is up otherwise.
import assert from 'node:assert/strict'
import { before, describe } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { endRun, logEvents, seedRunningRun } from '../../../test/kit/followedRuns.ts'
import { callTool } from '../../../test/kit/mcp.ts'
import { refusedSoon } from '../../../test/kit/refusedSoon.ts'
import { seeders, seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { waitForRun } from './waitForRun.ts'
import { proves } from '../../../test/kit/proves.ts'

const service = await testApp()
const { db, lifecycle } = service.context
const team = await seedTeam(service)
const stranger = await seedTeam(service)
const baseUrl = await service.listen()
before(() => seeders['agent']!(team, {}))

/** A wait of 50 seconds, in the middle of which something is done. */
/** Does something while a call waits, and gives the seconds after which the call ended. */
async function waitAnd(runId: string, doSomething: (gone: AbortController) => void): Promise<number> {
  const gone = new AbortController()
  const wait = { context: service.context, teamId: team.id, runId, seconds: 50, signal: gone.signal }
  const writing = setInterval(() => void logEvents(db.sql, runId), 50)
  const begun = performance.now()
  await waitForRun({ ...wait, onProgress: () => doSomething(gone) }).finally(() => clearInterval(writing))
  return (performance.now() - begun) / 1000
}

describe('waitForRun', () => {
  proves('mcp.waitEnd', 'answers with the run as soon as it has ended', async () => {
    const runId = await seedRunningRun(team)
    const waiting = callTool(team, 'waitForRun', { run_id: runId, wait_seconds: 50 })
    await logEvents(db.sql, runId, 3)
    await endRun(db, runId)
    const { value } = await waiting
    assert.deepEqual(
      [value.run_id, value.status, value.has_ended, value.needs_somebody],
      [runId, 'completed', true, false],
    )
    assert.equal(value.run.id, runId)
  })

  proves('mcp.waitPerson', 'answers at once when the run waits for a person, with what is asked', async () => {
    const run = await seeders['run']!(team, {})
    const requestId = await seeders['request']!(team, { run })
    const { value } = await callTool(team, 'waitForRun', { run_id: run, wait_seconds: 50 })
    assert.deepEqual([value.status, value.has_ended, value.needs_somebody], ['waiting', false, true])
    assert.equal(value.pending_human_request.id, requestId)
  })

  proves('mcp.waitTime', 'answers with what is so when its time is up, and takes no more than 50 seconds', async () => {
    const runId = await seedRunningRun(team)
    const { value } = await callTool(team, 'waitForRun', { run_id: runId, wait_seconds: 0 })
    assert.deepEqual([value.status, value.has_ended, value.needs_somebody], ['running', false, false])
    for (const wait_seconds of [51, -1, 1.5, '10', {}]) {
      const refused = await callTool(team, 'waitForRun', { run_id: runId, wait_seconds })
      assert.match(refused.value.message, /whole number from 0 to 50/)
    }
  })

  proves(
    'mcp.waitTenancy',
    'is the same not_found for a run of another team and for one that is not there',
    async () => {
      const runId = await seedRunningRun(team)
      for (const run_id of [runId, 'nothing', 7, {}]) {
        const { isError, value } = await callTool(stranger, 'waitForRun', { run_id, wait_seconds: 50 })
        assert.deepEqual([isError, value.error], [true, 'not_found'])
      }
    },
  )

  proves('mcp.waitProgress', 'reports what happens to a client that asks for progress', async (t) => {
    const runId = await seedRunningRun(team)
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
    const requestInit = { headers: { authorization: `Bearer ${team.key}` } }
    await client.connect(new StreamableHTTPClientTransport(new URL(`${baseUrl}/v2/mcp`), { requestInit }))
    const told: string[] = []
    const called = client.callTool(
      { name: 'waitForRun', arguments: { run_id: runId, wait_seconds: 50 } },
      {
        onprogress({ message }) {
          told.push(message!)
          void endRun(db, runId)
        },
      },
    )
    // the wait begins behind the events that there are: it reports one that comes after that
    const writing = setInterval(() => void logEvents(db.sql, runId), 50)
    t.after(() => clearInterval(writing))
    const { structuredContent } = await called
    assert.equal((structuredContent as { has_ended: boolean }).has_ended, true)
    assert.equal(told[0], 'run.file.created')
    await client.close()
  })

  proves('credentials.revoked', 'shows nothing of the run when the key was revoked during the wait', async () => {
    const runId = await seedRunningRun(team)
    const { body } = await team.call('POST /v2/teams/:teamId/api-keys', { body: {} })
    const ask = () => service.call('GET /v2/teams', { key: body.secret })
    assert.equal((await ask()).status, 200)
    const waiting = callTool(team, 'waitForRun', { run_id: runId, wait_seconds: 50 }, { key: body.secret })
    await team.call(`DELETE /v2/api-keys/${body.key_id}`)
    await refusedSoon(ask)
    await endRun(db, runId)
    const { isError, value } = await waiting
    assert.deepEqual([isError, value.error], [true, 'unauthorized'])
  })

  proves('mcp.waitLeft', 'ends for a caller who has left, and when the process stops', async () => {
    const left = await waitAnd(await seedRunningRun(team), (gone) => gone.abort())
    const stopped = await waitAnd(await seedRunningRun(team), () => (lifecycle.draining = true))
    lifecycle.draining = false
    assert.ok(left < 40 && stopped < 40, `after ${left} s and ${stopped} s of the 50 s that it may wait`)
  })
})
