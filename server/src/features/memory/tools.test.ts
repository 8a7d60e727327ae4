// The tools of memory as the engine calls them: many calls of many runs in one transaction.
import assert from 'node:assert/strict'
import type { Sql } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import type { InsideTool, Outcome, ToolCall } from '../../kit/tool.ts'
import { seeders, seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { memoryTools } from './tools.ts'
import { proves } from '../../../test/kit/proves.ts'

const service = await testApp()
const { db } = service.context
const team = await seedTeam(service)
const newAgent = (): Promise<string> => seeders['agent']!(team, {})

interface Wanted {
  agent: string
  run?: string
  input: object
}

/** Applies calls to one tool and counts the statements that it took. */
async function apply(name: string, wanted: Wanted[]): Promise<{ outcomes: Outcome[]; statements: number }> {
  const tool = memoryTools.tools.find((one) => one.name === name) as unknown as InsideTool
  const calls = wanted.map(({ agent, run = newId(), input }, step): ToolCall<never> => ({
    id: `${run}:${step}`,
    step,
    run: {
      id: run,
      team_id: team.id,
      agent_id: agent,
      build_id: newId(),
      config_hash: null,
      user_id: null,
      case_id: null,
      depth: 0,
    },
    input: input as never,
  }))
  let statements = 0
  const outcomes = await db.transaction((sql) => {
    const counting = ((strings: TemplateStringsArray, ...values: unknown[]) => {
      statements += 1
      return sql(strings, ...values)
    }) as Sql
    return tool.apply(calls, counting, service.context)
  })
  return { outcomes, statements }
}

const resultsOf = (outcomes: Outcome[]) => outcomes.map((outcome) => ('result' in outcome ? outcome.result : outcome))

proves(
  'memory.tools',
  '64 writes of different agents and runs are two statements, and each run finds its own',
  async () => {
    const agents = await Promise.all(Array.from({ length: 8 }, newAgent))
    const runs = Array.from({ length: 64 }, newId)
    const calls = runs.map((run, n) => ({
      agent: agents[n % 8]!,
      run,
      input: { path: `by/${n}.md`, content: `n ${n}` },
    }))
    // the first write of a team in ten seconds reads how much the team keeps
    await apply('memory_write', [{ agent: await newAgent(), input: { path: 'first.md', content: 'first' } }])
    const { outcomes, statements } = await apply('memory_write', calls)
    assert.equal(statements, 2)
    assert.deepEqual(
      resultsOf(outcomes),
      calls.map(({ input }) => ({ path: input.path, generation: 1, size_bytes: input.content.length })),
    )
    const read = await apply(
      'memory_read',
      calls.map(({ agent, input }) => ({ agent, input: { path: input.path } })),
    )
    assert.equal(read.statements, 1)
    assert.deepEqual(
      resultsOf(read.outcomes),
      calls.map(({ input }) => ({ ...input, generation: 1 })),
    )
    const file = await team.call(`GET /v2/agents/${agents[3]}/memory/files/by/11.md`)
    assert.deepEqual([file.body.source_type, file.body.source_run_id], ['run', runs[11]])
    const listed = await apply('memory_list', [
      { agent: agents[0]!, input: {} },
      { agent: agents[1]!, input: {} },
      { agent: agents[0]!, input: {} },
    ])
    assert.equal(listed.statements, 1)
    const [first, second, third] = resultsOf(listed.outcomes) as { files: { path: string; updated_at: string }[] }[]
    assert.deepEqual(first, third)
    assert.deepEqual([first!.files.length, second!.files[0]!.path], [8, 'by/1.md'])
    assert.match(first!.files[0]!.updated_at, /^\d{4}-.*\.\d{3}Z$/)
  },
)

proves(
  'memory.tools',
  'calls that change the same path are applied in their order, in no more statements',
  async () => {
    const agent = await newAgent()
    const write = (content: string, expected_generation?: number) => ({
      agent,
      input: { path: 'a', content, ...(expected_generation !== undefined && { expected_generation }) },
    })
    const { outcomes, statements } = await apply('memory_write', [
      write('one', 0),
      write('lost', 0),
      write('three', 1),
      write('lost', 1),
      write('last'),
    ])
    assert.equal(statements, 2)
    assert.deepEqual(
      outcomes.map((outcome) =>
        'result' in outcome ? (outcome.result as { generation: number }).generation : 'refused',
      ),
      [1, 'refused', 2, 'refused', 3],
    )
    const read = await apply('memory_read', [{ agent, input: { path: 'a' } }])
    assert.deepEqual(resultsOf(read.outcomes), [{ path: 'a', content: 'last', generation: 3 }])

    const append = (path: string, content: string) => ({ agent, input: { path, content } })
    const appended = await apply('memory_append', [
      append('a', ' é'),
      append('new', 'x'),
      append('a', '!'),
      append('new', 'y'),
    ])
    assert.equal(appended.statements, 2)
    assert.deepEqual(resultsOf(appended.outcomes), [
      { path: 'a', generation: 4, size_bytes: 7 },
      { path: 'new', generation: 1, size_bytes: 1 },
      { path: 'a', generation: 5, size_bytes: 8 },
      { path: 'new', generation: 2, size_bytes: 2 },
    ])
    const texts = await apply('memory_read', [
      { agent, input: { path: 'a' } },
      { agent, input: { path: 'new' } },
    ])
    assert.deepEqual(
      (resultsOf(texts.outcomes) as { content: string }[]).map(({ content }) => content),
      ['last é!', 'xy'],
    )

    const deletion = { agent, input: { path: 'new' } }
    const deleted = await apply('memory_delete', [
      deletion,
      deletion,
      { agent, input: { path: 'a', expected_generation: 1 } },
    ])
    assert.equal(deleted.statements, 2)
    assert.deepEqual(resultsOf(deleted.outcomes).slice(0, 2), [
      { path: 'new', deleted: true },
      { error: 'there is no memory file "new"' },
    ])
    assert.match((deleted.outcomes[2] as { error: string }).error, /generation 5/)
  },
)

proves(
  'memory.tools',
  'a refused call stands in nobody’s way: what does not fit is left out, what fits after it is written',
  async () => {
    const agent = await newAgent()
    const content = 'x'.repeat(256 * 1024)
    const filling = Array.from({ length: 63 }, (_, n) => ({ agent, input: { path: `full/${n}`, content } }))
    await apply('memory_write', filling)
    const half = 'x'.repeat(128 * 1024)
    const { outcomes } = await apply('memory_write', [
      { agent, input: { path: 'half', content: half } },
      { agent, input: { path: 'too much', content } },
      { agent, input: { path: 'rest', content: half } },
      { agent, input: { path: '../out', content: half } },
      { agent, input: { path: 'nul', content: 'a\u0000' } },
      { agent, input: { path: 'half', content: `${content}x` } },
    ])
    assert.deepEqual(
      outcomes.map((outcome) => 'result' in outcome),
      [true, false, true, false, false, false],
    )
    const errors = outcomes.flatMap((outcome) => ('error' in outcome ? [outcome.error] : []))
    for (const [index, says] of [/at most 16777216/, /segment \. or \.\./, /NUL/, /at most 262144/].entries()) {
      assert.match(errors[index]!, says)
    }
  },
)

proves(
  'memory.disabled',
  'an agent whose memory is switched off gets a sentence that says so, from every tool',
  async () => {
    const off = await newAgent()
    const on = await newAgent()
    await team.call(`PUT /v2/agents/${off}/memory/files/a`, { body: { content: 'before' } })
    await team.call(`PATCH /v2/agents/${off}`, { body: { memory_enabled: false } })
    const input = { path: 'a', content: 'x' }
    for (const { name } of memoryTools.tools) {
      if (name !== 'memory_list') await apply('memory_write', [{ agent: on, input }])
      const { outcomes } = await apply(name, [
        { agent: off, input },
        { agent: on, input },
      ])
      assert.match((outcomes[0] as { error: string }).error, /switched off/, name)
      assert.ok('result' in outcomes[1]!, name)
    }
    assert.equal((await team.call(`GET /v2/agents/${off}/memory/files/a`)).body.content, 'before')
    const missing = await apply('memory_read', [{ agent: on, input: { path: 'no/such' } }])
    assert.deepEqual(missing.outcomes, [{ error: 'there is no memory file "no/such"' }])
  },
)

proves('memory.tools', 'batches that change the same agents in other orders do not stop each other', async () => {
  const agents = await Promise.all(Array.from({ length: 4 }, newAgent))
  const batch = (order: string[]) =>
    apply(
      'memory_append',
      order.map((agent) => ({ agent, input: { path: 'log', content: '.' } })),
    )
  await Promise.all(Array.from({ length: 12 }, (_, n) => batch(n % 2 === 0 ? agents : agents.toReversed())))
  const read = await apply(
    'memory_read',
    agents.map((agent) => ({ agent, input: { path: 'log' } })),
  )
  assert.deepEqual(
    resultsOf(read.outcomes),
    agents.map(() => ({ path: 'log', content: '.'.repeat(12), generation: 12 })),
  )
})
