// The service with one more job, which takes as long as it is told: what the takeover and drain proofs start.
import { features } from '../../src/features.ts'
import { feature } from '../../src/kit/feature.ts'
import { job } from '../../src/kit/job.ts'
import { Type } from '../../src/kit/schema.ts'
import { exitWith, main } from '../../src/main.ts'

const slowJob = job({
  name: 'slowJob',
  input: Type.Object({ id: Type.String(), ms: Type.Integer() }),
  safeToRepeat: 'every run adds its own rows, and the proof counts them',
  async handler({ input, sql }) {
    await sql`insert into slow_job_runs (job, pid, what) values (${input.id}, ${process.pid}, 'begun')`
    await new Promise((resolve) => setTimeout(resolve, input.ms))
    await sql`insert into slow_job_runs (job, pid, what) values (${input.id}, ${process.pid}, 'done')`
  },
})

main(process.argv.slice(2), [...features, feature({ name: 'slow', jobs: [slowJob] })]).then(
  () => process.exit(0),
  exitWith,
)
