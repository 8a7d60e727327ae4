// The deaths that are counted for a job: they follow the job when it is put back, and are forgotten when it is gone.
import assert from 'node:assert/strict'
import { newId } from '../base/ids.ts'
import { testApp } from '../../test/kit/testApp.ts'
import type { SuspectProcesses } from './suspectProcesses.ts'
import { suspectRoles } from './deaths.ts'
import { feature } from './feature.ts'
import { enqueueOn, job, type Job, type TakenJob } from './job.ts'
import { deathsOf, doElsewhere, noteJobDeaths } from './jobDeaths.ts'
import { putBack } from './jobSlots.ts'
import { Type } from './schema.ts'
import { sweepJobDeaths } from './sweepJobDeaths.job.ts'
import { proves } from '../../test/kit/proves.ts'

const some = job({
  name: 'testSome',
  input: Type.Object({ team_id: Type.String() }),
  safeToRepeat: 'it changes nothing',
  handler: async () => undefined,
})
const { context } = await testApp({ features: [feature({ name: 'tests', jobs: [some] })] })
const { sql } = context.db

const jobs = () => sql<TakenJob & { run_in: boolean }>`
  select id, key, attempts, max_attempts, run_at > now() as run_in from graphile_worker.jobs where task_identifier = 'testSome' order by id`

const died = (ref: string, name: string, ago: string) => sql`
  insert into job_deaths (job, ref, place, deaths, died_at) values (${name}, ${ref}, '', 2, now() - ${ago}::interval)`

proves(
  'jobs.putBack',
  'a job that is put back because its team has its share keeps its deaths and its attempts, with a key and without',
  async () => {
    const input = { team_id: newId() }
    for (const key of [undefined, 'one']) {
      await enqueueOn(sql)(some, input, key === undefined ? {} : { key })
      // as the job engine hands it out for the fourth time
      const [taken] = await sql<TakenJob>`
      update graphile_worker._private_jobs set attempts = 4, locked_at = now(), locked_by = 'test'
      where key is not distinct from ${key ?? null} returning id, key, attempts, max_attempts`
      await died(key ?? String(taken!.id), some.name, '0 s')
      await putBack(context.db, taken!, input)
      await sql`delete from graphile_worker._private_jobs where id = ${taken!.id}::bigint`
      const [next] = await jobs()
      assert.deepEqual([next!.attempts, next!.run_in], [3, true])
      assert.equal(await deathsOf(sql, some as Job, next!), 2)
      await sql`delete from graphile_worker._private_jobs where id = ${next!.id}::bigint`
    }
  },
)

proves(
  'jobs.deathsSwept',
  'deaths of jobs that are gone are forgotten after an hour, but not those of a job that waits or that repeats by itself',
  async () => {
    await sql`delete from job_deaths`
    await enqueueOn(sql)(some, { team_id: newId() }, { key: 'waits' })
    await died('waits', some.name, '2 days')
    await died('gone', some.name, '2 hours')
    await died('just gone', some.name, '1 minute')
    await died(sweepJobDeaths.name, sweepJobDeaths.name, '2 days')
    await sweepJobDeaths.handler({ input: {}, sql, context, signal: new AbortController().signal })
    const left = await sql<{ ref: string }>`select ref from job_deaths order by ref`
    assert.deepEqual(
      left.map(({ ref }) => ref),
      ['just gone', sweepJobDeaths.name, 'waits'],
    )
  },
)

/** Nobody may be asked for a seat: the job is given up without being done. */
const nobody: SuspectProcesses = {
  reserve: () => assert.fail('a seat was asked for'),
  onReady: () => undefined,
  stop: async () => undefined,
}

proves(
  'jobs.diedTogether',
  'a job that killed its process together with the one that kept its lock is given up by whoever takes it next',
  async () => {
    const input = { team_id: newId() }
    await enqueueOn(sql)(some, input, { key: 'deadly' })
    const [taken] = await sql<TakenJob>`
    update graphile_worker._private_jobs set attempts = 3 where key = 'deadly' returning id, key, attempts, max_attempts`
    const lone = newId()
    await sql`insert into job_deaths (job, ref, place, deaths, worker) values (${some.name}, 'deadly', '', 3, ${lone})`
    await noteJobDeaths(context, { id: lone, role: suspectRoles.one, lock_key: 0, job_pool_id: null, is_news: true })
    const deaths = await deathsOf(sql, some as Job, taken!)
    await assert.rejects(
      doElsewhere({ context, suspectProcesses: nobody, job: some as Job, taken: taken!, input, deaths }),
      /^Error: At least 3 processes of the service died while they did this job/,
    )
    const [left] = await sql<{
      attempts: number
    }>`select attempts from graphile_worker._private_jobs where id = ${taken!.id}::bigint`
    assert.equal(left!.attempts, taken!.max_attempts)
  },
)

proves(
  'jobs.diedInLastAttempt',
  'a process that dies in the last attempt of a job leaves one more to whoever takes it',
  async () => {
    await enqueueOn(sql)(some, { team_id: newId() }, { key: 'last' })
    await sql`
    update graphile_worker._private_jobs set attempts = max_attempts, locked_at = now(), locked_by = 'dead pool' where key = 'last'`
    await noteJobDeaths(context, { id: newId(), role: 'worker', lock_key: 0, job_pool_id: 'dead pool', is_news: true })
    const [left] = await sql<TakenJob>`
    select id, key, attempts, max_attempts from graphile_worker._private_jobs where key = 'last'`
    assert.equal(left!.attempts, left!.max_attempts - 1)
  },
)
