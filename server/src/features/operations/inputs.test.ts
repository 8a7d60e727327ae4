// What the tools of operations refuse, and whose rows they read.
import assert from 'node:assert/strict'
import { newId } from '../../base/ids.ts'
import { figuresAt } from '../../../test/kit/figures.ts'
import { proves } from '../../../test/kit/proves.ts'
import { drainRuns, readRun, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seeders, seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { operationsTools } from './tools.ts'

const service = await testApp()
const { ask, read } = figuresAt(service, '2026-07-18T09:30:00.000Z')
const team = await seedTeam(service)
const empty = await seedTeam(service)

proves('operations.inputs', 'an input that cannot be read is answered with a sentence', async () => {
  const problems: [tool: string, input: object, says: RegExp][] = [
    [
      'operations_runs',
      { last: '3 weeks' },
      /^last must be a number of hours or days such as 24h or 7d, not "3 weeks"\.$/,
    ],
    ['operations_runs', { last: '401d' }, /^last can be 400d at most\.$/],
    ['operations_runs', { last: '9999d' }, /400d at most/],
    ['operations_runs', { last: '1d', since: '2026-07-01' }, /^Say either last, or since and until\.$/],
    ['operations_runs', { until: '2026-07-01' }, /^until needs since/],
    ['operations_runs', { since: '2026-07-02', until: '2026-07-01' }, /^since must be earlier than until/],
    ['operations_runs', { since: '2026-07-19' }, /^since must be earlier than until, and than now/],
    ['operations_usage', { since: '2020-01-01' }, /^At most 400 days can be read at once/],
    ['operations_evaluations', { since: 'yesterday' }, /^since must be a time such as/],
    ['operations_runs', { agent: 'Nobody' }, /^There is no agent with the name or id "Nobody"\.$/],
    ['operations_usage', { agent: newId() }, /^There is no agent/],
    ['operations_queues', { queue: 'Nothing' }, /^There is no queue with the name or id "Nothing"\.$/],
  ]
  for (const [tool, input, says] of problems) {
    const outcome = await ask(team, tool, input)
    assert.match('error' in outcome ? outcome.error : JSON.stringify(outcome), says)
  }
  for (let n = 0; n < 2; n++) await empty.call('POST /v2/teams/:teamId/agents', { body: { name: 'Twin' } })
  assert.deepEqual(await ask(empty, 'operations_runs', { agent: 'Twin' }), {
    error: 'More than one agent is called "Twin". Give its id.',
  })
})

/** A procedure with one call, and how many rows it gave. */
const asking = (input: string) => `\`\`\`tool id=figures name=operations_runs
${input}
\`\`\`

\`\`\`output
{{ steps.figures.output.rows | length }}
\`\`\`
`

proves(
  ['operations.runs', 'operations.inputs'],
  'a step of a runbook reads the figures, and a field that does not exist is refused',
  async () => {
    const [good, bad] = [
      await seedAgent(empty, asking('{"by": "hour", "last": "6h"}')),
      await seedAgent(empty, asking('{"agnet": "Mail"}')),
    ]
    const [well, badly] = [await startRun(empty, good), await startRun(empty, bad)]
    await drainRuns(service)
    assert.deepEqual([(await readRun(empty, well)).status, (await readRun(empty, well)).output], ['completed', 6])
    assert.match((await readRun(empty, badly)).error.message, /operations_runs do not fit its schema/)
  },
)

proves('operations.tenancy', 'each team reads its own rows alone, and a new team reads zeros', async () => {
  const runId = await seeders['run']!(team, {})
  const { agent_id } = await readRun(team, runId)
  const lately = figuresAt(service, new Date().toISOString())
  assert.equal((await lately.read(team, 'operations_runs', { last: '2h', agent: agent_id })).totals.stopped, 1)
  assert.match(JSON.stringify(await ask(empty, 'operations_runs', { agent: agent_id })), /There is no agent/)
  assert.equal((await lately.read(empty, 'operations_runs', { last: '2h' })).totals.stopped, 0)
  const fresh = await seedTeam(service)
  for (const { name } of operationsTools.tools) {
    for (const by of name === 'operations_runs' ? ['status', 'agent', 'hour', 'day'] : [undefined]) {
      const { rows, totals, left_out } = await read(fresh, name, by === undefined ? {} : { by })
      assert.equal(left_out, 0)
      for (const figures of [...rows, totals]) {
        for (const [column, value] of Object.entries(figures)) {
          if (!['hour', 'day', 'status'].includes(column))
            assert.ok(value === 0 || value === null, `${name}: ${column} is ${String(value)}`)
        }
      }
    }
  }
})
