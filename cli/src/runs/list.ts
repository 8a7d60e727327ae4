// runyard runs: the newest runs of the team, or those that a filter leaves.
import type { Run } from '../../../sdk/src/index.ts'
import { command } from '../command.ts'
import { countOf, limitOption } from '../count.ts'
import { ageOf, durationOf } from '../times.ts'
import type { Column } from '../output.ts'

export const runsList = command({
  words: 'runs',
  needs: 'service',
  endsWithReader: true,
  says: 'List runs, the newest first.',
  options: {
    status: { type: 'string', value: 'a,b', says: 'only these: pending, running, waiting, completed, failed, stopped' },
    agent: { type: 'string', value: 'AGENT', says: 'only runs of this agent, by its id or its name' },
    search: { type: 'string', value: 'WORDS', says: 'only those with these words in title or message' },
    since: { type: 'string', value: 'ISO', says: 'only those created from this time on' },
    limit: limitOption,
  },
  examples: ['runyard runs --status failed', "runyard runs --json -n 0 | jq -r 'select(.error) | .id'"],
  async run({ values, out, service }) {
    const count = countOf(values.limit)
    const runyard = await service()
    const { status, agent, search, since } = values
    const input = {
      ...(status !== undefined && { status }),
      ...(agent !== undefined && { agent_id: await (await import('../findAgent.ts')).agentIdOf(runyard, agent) }),
      ...(search !== undefined && { search }),
      ...(since !== undefined && { since }),
      limit: Math.min(count, 100),
    }
    await out.rows(
      columns,
      firstOf(runyard.runs.list(input), count),
      'There are no such runs. Start one with: runyard run AGENT',
    )
  },
})

const columns: Column<Run>[] = [
  { title: 'id', of: ({ id }) => id },
  { title: 'status', of: ({ status }) => status },
  { title: 'agent', of: ({ agent_name }) => agent_name, mayCut: true },
  { title: 'title', of: ({ title }) => title, mayCut: true },
  { title: 'age', of: ({ created_at }) => ageOf(created_at), isNumber: true },
  { title: 'took', of: (run) => durationOf(run.started_at, run.completed_at), isNumber: true },
]

async function* firstOf<Row>(rows: AsyncIterable<Row>, count: number): AsyncGenerator<Row> {
  let given = 0
  for await (const row of rows) {
    yield row
    given += 1
    if (given >= count) return
  }
}
