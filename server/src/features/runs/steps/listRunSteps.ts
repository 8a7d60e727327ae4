// Lists the steps of a run: what it did, in light rows, and what a time axis needs to draw them.
import { operation } from '../../../kit/operation.ts'
import { paging } from '../../../kit/paging.ts'
import { Type } from '../../../kit/schema.ts'
import { Axis, readStepsOf, RunStep } from './step.ts'

const Count = Type.Integer({ minimum: 0 })

export const listRunSteps = operation({
  id: 'listRunSteps',
  client: 'runs.listSteps',
  route: 'GET /v2/runs/:run_id/steps',
  summary: 'List the steps of a run',
  description:
    'In their order, without arguments and results, which getRunStep has. Steps are numbered from 1 without gaps, so those after `seq` n are ' +
    'at `offset=n`, also while the run continues; `total` is the number of the last one. `axis` has the times of the run, the waits of these ' +
    'steps, and when processes lost the run. The steps of a run that a step started are that run’s own.',
  scope: 'runs:read',
  query: Type.Object(paging(200, 1000)),
  status: 200,
  answer: Type.Object({ steps: Type.Array(RunStep), total: Count, limit: Count, offset: Count, axis: Axis }),
  async handler({ run, query: { limit, offset }, sql }) {
    const { rows, total, axis } = await readStepsOf(sql, run, { after: offset, limit })
    return { steps: rows.map(({ step }) => step), total, limit, offset, axis }
  },
})
