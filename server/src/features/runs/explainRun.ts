// Explains why a run is where it is.
import { operation } from '../../kit/operation.ts'
import { Id, Type } from '../../kit/schema.ts'
import { RunStatus } from './run.ts'
import { factsOf, RunFacts } from './runFacts.ts'
import { whyOf } from './explainState.ts'

export const explainRun = operation({
  id: 'explainRun',
  client: 'runs.explain',
  route: 'GET /v2/runs/:run_id/why',
  summary: 'Explain a run',
  description:
    'Says in one sentence why the run is in its state, with the facts: what it waits for, since when, who can end the wait, its position ' +
    'on the waitlist, who works on it, what went wrong.',
  scope: 'runs:read',
  status: 200,
  answer: Type.Object({
    run_id: Id,
    status: RunStatus,
    why: Type.String({ examples: ['It has waited for 2 h for a person to answer: “Pay invoice 4711?” (approval).'] }),
    facts: RunFacts,
  }),
  async handler({ run, sql, context }) {
    const { isAdmitted, pool, ...facts } = await factsOf(sql, run)
    const { why, endedBy } = whyOf(run, { ...facts, isAdmitted, pool }, context.clock.now())
    return { run_id: run.id, status: run.status, why, facts: { ...facts, ended_by: endedBy } }
  },
})
