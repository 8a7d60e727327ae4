// What the deaths of processes mean for a run: who may drive it next, what speaks for it, and when it is given up.
import assert from 'node:assert/strict'
import { newId } from '../../base/ids.ts'
import { suspectRoles } from '../../kit/deaths.ts'
import { drillWorkerRole } from '../../kit/presence.ts'
import { drainRuns, readRun, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { claimRuns, claimSuspects, readSuspects, reviveRuns, takeSuspect } from '../admission/claim.ts'
import { proves } from '../../../test/kit/proves.ts'

const service = await testApp()
const { sql } = service.context.db

const procedure = '# Say\n\n```output\ndone\n```\n'

async function newRun() {
  const team = await seedTeam(service)
  return { team, id: await startRun(team, await seedAgent(team, procedure)) }
}

/** A worker claims the run and dies. */
async function dieOver(id: string): Promise<void> {
  const worker = newId()
  assert.ok((await claimRuns(sql, worker, 100)).some((run) => run.id === id))
  await reviveRuns(sql, { id: worker, role: 'worker', is_news: true })
}

/** A process for suspects takes the run from a worker; both die. */
async function dieTogetherOver(id: string, role: string): Promise<void> {
  const [worker, lone] = [newId(), newId()]
  const [kept] = await claimSuspects(sql, worker, [id])
  assert.ok(await takeSuspect(sql, id, kept!.epoch, lone))
  await reviveRuns(sql, { id: worker, role: 'worker', is_news: true })
  await reviveRuns(sql, { id: lone, role, is_news: true })
}

const suspects = async () => (await readSuspects(sql)).map(({ id, deaths }) => ({ id, deaths }))

/** A process dies that held only this run. */
const witness = async (id: string) => {
  const worker = newId()
  await sql`update runs set worker = ${worker} where id = ${id}`
  await reviveRuns(sql, { id: worker, role: 'worker', is_news: true })
}

proves(
  'runs.spared',
  'a death without the run speaks for the run: a suspect is driven like any other again',
  async () => {
    const { team, id } = await newRun()
    for (const n of [1, 2, 3, 4]) {
      while ((await suspects()).length === 0) await dieOver(id)
      assert.deepEqual(await suspects(), [{ id, deaths: 2 }], `time ${n}`)
      await reviveRuns(sql, { id: newId(), role: suspectRoles.several, is_news: true })
      assert.deepEqual(await suspects(), [{ id, deaths: 2 }], 'a process for suspects is not a witness')
      await reviveRuns(sql, { id: newId(), role: 'worker', is_news: true })
      assert.deepEqual(await suspects(), [])
    }
    await drainRuns(service)
    assert.equal((await readRun(team, id)).status, 'completed')
  },
)

proves(
  'runs.spared',
  'a death speaks for a run once, and only the death of a process that could have driven it',
  async () => {
    const { team, id } = await newRun()
    while ((await suspects()).length === 0) await dieOver(id)
    await reviveRuns(sql, { id: newId(), role: 'worker', is_news: false })
    for (const role of ['api', 'drill', drillWorkerRole, 'backup']) {
      await reviveRuns(sql, { id: newId(), role, is_news: true })
    }
    assert.deepEqual(await suspects(), [{ id, deaths: 2 }])
    await drainRuns(service)
    assert.equal((await readRun(team, id)).status, 'completed')
  },
)

proves(
  'runs.sparedTwice',
  'a run that takes a process along each time, which does not hold it, is a suspect in the end',
  async () => {
    const { team, id } = await newRun()
    for (let round = 0; round < 21; round++) {
      while ((await suspects()).length === 0) await dieOver(id)
      await reviveRuns(sql, { id: newId(), role: 'worker', is_news: true })
      assert.equal((await suspects()).length, round < 20 ? 0 : 1, `round ${round}`)
    }
    await drainRuns(service)
    assert.equal((await readRun(team, id)).status, 'completed')
  },
)

proves(
  'runs.sparedTwice',
  'two runs that kill their processes do not excuse each other for ever: each is a suspect in the end',
  async () => {
    const [one, two] = [await newRun(), await newRun()]
    let deaths = 0
    for (; deaths < 20 && (await suspects()).length < 2; deaths++) {
      for (const { id } of [one, two]) if (!(await suspects()).some((suspect) => suspect.id === id)) await witness(id)
    }
    assert.deepEqual((await suspects()).map(({ id }) => id).toSorted(), [one.id, two.id].toSorted())
    assert.ok(deaths <= 6, `${deaths} rounds`)
    await drainRuns(service)
    for (const { team, id } of [one, two]) assert.equal((await readRun(team, id)).status, 'completed')
  },
)

proves(
  'runs.diedTogether',
  'a run that kills its process together with the one that watches it is done alone the next time, and is then given up',
  async () => {
    const { team, id } = await newRun()
    await dieOver(id)
    await dieOver(id)
    await dieTogetherOver(id, suspectRoles.several)
    assert.deepEqual(await suspects(), [{ id, deaths: 3 }])
    await dieTogetherOver(id, suspectRoles.one)
    assert.deepEqual(await suspects(), [])
    await drainRuns(service)
    const run = await readRun(team, id)
    assert.deepEqual([run.status, run.error.code], ['failed', 'internal_error'])
    assert.match(run.error.message, /^At least 3 processes of the service died while they worked on this run/)
  },
)
