// Requests that nobody answers: each ends in the outcome that it stated, with its event, and its run continues.
import assert from 'node:assert/strict'
import { suite } from 'node:test'
import { drainRuns, readEvents, readRun, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { actionHash } from './humanRequests.ts'
import { proves } from '../../../test/kit/proves.ts'

const service = await testApp()
const { sql } = service.context.db

const approve = (attributes: string) =>
  `\`\`\`approve id=ask timeout=1h ${attributes}\nGo on?\n\`\`\`\n\n\`\`\`output\n{{ steps.ask.output }}\n\`\`\`\n`

async function expired(attributes: string) {
  const team = await seedTeam(service)
  const runId = await startRun(team, await seedAgent(team, approve(attributes)))
  await drainRuns(service)
  await sql`update human_requests set expires_at = now() - interval '1 second' where run_id = ${runId}`
  await drainRuns(service)
  return { run: await readRun(team, runId), events: await readEvents(service, runId) }
}

suite('a request that nobody answers in time', () => {
  for (const [onTimeout, status, output] of [
    ['approve', 'completed', { approved: true, comment: null, responded_by: null, timed_out: true }],
    ['continue', 'completed', { approved: false, comment: null, responded_by: null, timed_out: true }],
    ['reject', 'failed', null],
    ['fail', 'failed', null],
  ] as const) {
    proves('humanRequests.timeout', `counts as ${onTimeout}`, async () => {
      const { run, events } = await expired(`on_timeout=${onTimeout}`)
      assert.deepEqual([run.status, run.output], [status, output])
      const told = events.filter(({ event }) => event === 'human_request.responded')
      assert.deepEqual(
        told.map(({ data }) => data.human_request.status),
        ['expired'],
      )
    })
  }
})

proves(
  'humanRequests.hash',
  'the hash of an action depends on the call and on every value of its arguments, not on their order',
  () => {
    const hash = actionHash('run:1', 'pay', { amount: 5, to: { name: 'a', account: 'b' } })
    assert.equal(hash, actionHash('run:1', 'pay', { to: { account: 'b', name: 'a' }, amount: 5 }))
    assert.notEqual(hash, actionHash('run:1', 'pay', { amount: 6, to: { name: 'a', account: 'b' } }))
    assert.notEqual(hash, actionHash('run:2', 'pay', { amount: 5, to: { name: 'a', account: 'b' } }))
  },
)
