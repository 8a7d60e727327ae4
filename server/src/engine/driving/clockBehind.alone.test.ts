// A process whose clock is behind that of the database, which wakes the runs that wait for a time.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { setRules } from '../../../test/kit/guardrails.ts'
import { proves } from '../../../test/kit/proves.ts'
import { startReceiver } from '../../../test/kit/receiver.ts'
import { drainRuns, readRun, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'

/** Long enough to see it, and short for a run that is woken and put off again until our clock has come so far. */
const behindMs = 3000

const service = await testApp({ config: { allowPrivateHosts: ['127.0.0.1'] } })
const { sql } = service.context.db
const receiver = await startReceiver()
const rightDate = globalThis.Date
after(() => (globalThis.Date = rightDate))

/** All clocks of this process. */
function setBack(): void {
  globalThis.Date = class extends rightDate {
    constructor(...given: unknown[]) {
      super(...((given.length > 0 ? given : [rightDate.now() - behindMs]) as [number]))
    }
    static override now(): number {
      return rightDate.now() - behindMs
    }
  } as DateConstructor
}

/** How often the run was claimed. */
async function claimsOf(runId: string): Promise<number> {
  const [run] = await sql<{ epoch: number }>`select epoch from runs where id = ${runId}`
  return run!.epoch
}

/** The run waits until a second ago by the database's clock, and our clocks are behind. */
async function drainAfterWait(team: TestTeam, runId: string): Promise<string> {
  const past = new rightDate(rightDate.now() - 1000).toISOString()
  await sql`
    update run_steps set result = jsonb_set(result, '{waiting_on,due_at}', to_jsonb(${past}::text)) where run_id = ${runId}`
  await sql`update runs set due_at = ${past} where id = ${runId}`
  setBack()
  try {
    await drainRuns(service)
  } finally {
    globalThis.Date = rightDate
  }
  return (await readRun(team, runId)).status
}

proves(
  'runs.wait',
  'a wait that the database’s clock has ended is over, though the process’s clock is behind',
  async () => {
    const team = await seedTeam(service)
    const runId = await startRun(team, await seedAgent(team, '```wait\n1h\n```\n\n```output\nlater\n```\n'))
    await drainRuns(service)
    const before = await claimsOf(runId)
    assert.equal(await drainAfterWait(team, runId), 'completed')
    assert.equal(await claimsOf(runId), before + 1)
  },
)

proves('guardrails.quietCalls', 'a call is not put off for hours that are over by the database’s clock', async () => {
  const team = await seedTeam(service)
  const minute = Math.floor(rightDate.now() / 60_000) * 60_000
  const clockAt = (ms: number) => new rightDate(ms).toISOString().slice(11, 16)
  const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
  const quiet_hours = [{ days, from: clockAt(minute - 3_600_000), to: clockAt(minute) }]
  await setRules([service], team, { quiet_hours, time_zone: 'UTC' })
  const procedure = `\`\`\`http\nPOST ${receiver.url}/soon\n\`\`\`\n\n\`\`\`output\nsent\n\`\`\`\n`
  // by the process's clock they last for another second
  service.clock.set(new rightDate(minute - 1000))
  const runId = await startRun(team, await seedAgent(team, procedure))
  const before = await claimsOf(runId)
  await drainRuns(service)
  assert.deepEqual([(await readRun(team, runId)).status, await claimsOf(runId)], ['completed', before + 1])
})
