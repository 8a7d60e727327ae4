// The tool set `memory`: what a run may do with its agent's memory files. Each tool takes the calls of many runs at once.
import { mustHave } from '../../base/mustHave.ts'
import type { Sql } from '../../base/db.ts'
import type { Context } from '../../kit/context.ts'
import type { ToolSet } from '../../kit/feature.ts'
import { Type } from '../../kit/schema.ts'
import { insideTool, type Outcome, type ToolCall } from '../../kit/tool.ts'
import { changeMemory, memoryIsOff, noFileAt, type Changed, type MemoryChange } from './changeMemory.ts'
import { expectedGeneration } from './memoryFile.ts'
import { memoryPath } from './memoryPath.ts'
import { storageProblem } from '../../engine/engine.ts'

const Path = Type.String({ description: 'Relative, such as notes/today.md.' })
const Expected = Type.Optional(
  expectedGeneration('Do it only if the file still has this generation, as you read it; 0: only if there is none.', 0),
)

const teamsOf = (calls: ToolCall<unknown>[]): string[] => calls.map(({ run }) => run.team_id)
const agentsOf = (calls: ToolCall<unknown>[]): string[] => calls.map(({ run }) => run.agent_id)

const memoryList = insideTool({
  name: 'memory_list',
  description: 'List the agent’s memory files with their sizes and generations.',
  input: Type.Object({}),
  async apply(calls, sql) {
    const rows = await sql<{
      agent_id: string
      memory_enabled: boolean
      path: string | null
      size_bytes: number
      generation: number
      updated_at: Date
    }>`
      select a.id as agent_id, a.memory_enabled, f.path, f.size_bytes, f.generation, f.updated_at
      from (select distinct * from unnest(${agentsOf(calls)}::uuid[], ${teamsOf(calls)}::uuid[])) as c (agent_id, team_id)
      join agents a on a.id = c.agent_id and a.team_id = c.team_id
      left join memory_files f on f.agent_id = a.id and f.team_id = a.team_id and a.memory_enabled
      order by f.path`
    const byAgent = Map.groupBy(rows, ({ agent_id }) => agent_id)
    return calls.map(({ run }): Outcome => {
      const found = byAgent.get(run.agent_id) ?? []
      if (!found[0]?.memory_enabled) return { error: memoryIsOff }
      const files = found.flatMap(({ path, size_bytes, generation, updated_at }) =>
        path === null ? [] : [{ path, size_bytes, generation, updated_at: updated_at.toISOString() }],
      )
      return { result: { files } }
    })
  },
})

const memoryRead = insideTool({
  name: 'memory_read',
  description: 'Read one of the agent’s memory files.',
  input: Type.Object({ path: Path }),
  async apply(calls, sql) {
    const paths = calls.map(({ input }) => memoryPath(input.path))
    const rows = await sql<{ n: number; memory_enabled: boolean; path: string; content: string; generation: number }>`
      select c.n, a.memory_enabled, f.path, f.content, f.generation
      from unnest(
        ${agentsOf(calls)}::uuid[], ${teamsOf(calls)}::uuid[],
        ${paths.map((checked) => ('path' in checked ? checked.path : null))}::text[])
        with ordinality as c (agent_id, team_id, path, n)
      join agents a on a.id = c.agent_id and a.team_id = c.team_id
      left join memory_files f on f.agent_id = a.id and f.team_id = a.team_id and f.path = c.path`
    const byCall = new Map(rows.map(({ n, ...row }) => [n - 1, row]))
    return paths.map((checked, index): Outcome => {
      const { memory_enabled, ...file } = byCall.get(index) ?? { memory_enabled: false, path: null }
      if (!memory_enabled) return { error: memoryIsOff }
      if ('problem' in checked) return { error: checked.problem }
      return file.path === null ? { error: noFileAt(checked.path) } : { result: file }
    })
  },
})

const memoryWrite = insideTool({
  name: 'memory_write',
  description: 'Write one of the agent’s memory files, new or over the old one; it outlives the run.',
  input: Type.Object({ path: Path, content: Type.String(), expected_generation: Expected }),
  apply: (calls, sql, context) => change(calls, sql, context, ({ content }) => ({ kind: 'write', content }), written),
})

const memoryAppend = insideTool({
  name: 'memory_append',
  description: 'Add text at the end of one of the agent’s memory files; makes the file if there is none.',
  input: Type.Object({ path: Path, content: Type.String(), expected_generation: Expected }),
  apply: (calls, sql, context) => change(calls, sql, context, ({ content }) => ({ kind: 'append', content }), written),
})

const memoryDelete = insideTool({
  name: 'memory_delete',
  description: 'Delete one of the agent’s memory files.',
  input: Type.Object({ path: Path, expected_generation: Expected }),
  apply: (calls, sql, context) =>
    change(
      calls,
      sql,
      context,
      () => ({ kind: 'delete' }),
      ({ path }) => ({ path, deleted: true }),
    ),
})

const written = ({ path, generation, size_bytes }: Changed) => ({ path, generation, size_bytes })

type Kind = { kind: 'write' | 'append'; content: string } | { kind: 'delete' }

/** Makes all calls one batch of changes, except those with an invalid path and those that the team has no room for. */
async function change<Input extends { path: string; expected_generation?: number }>(
  calls: ToolCall<Input>[],
  sql: Sql,
  context: Context,
  kindOf: (input: Input) => Kind,
  resultOf: (changed: Changed) => object,
): Promise<Outcome[]> {
  const changes: MemoryChange[] = []
  const outcomes: ({ error: string } | { place: number })[] = []
  for (const { run, input } of calls) {
    const checked = memoryPath(input.path)
    const { team_id, agent_id, id: source_run_id } = run
    const kind = kindOf(input)
    if ('problem' in checked) {
      outcomes.push({ error: checked.problem })
      continue
    }
    const bytes = kind.kind === 'delete' ? 0 : Buffer.byteLength(kind.content)
    const problem = await storageProblem(context, sql, team_id, bytes)
    if (problem !== undefined) {
      outcomes.push({ error: problem })
      continue
    }
    const { expected_generation: expected } = input
    const guard = expected === undefined ? {} : { expected_generation: expected }
    outcomes.push({ place: changes.push({ team_id, agent_id, source_run_id, ...checked, ...guard, ...kind }) - 1 })
  }
  const changed = await changeMemory(sql, changes)
  return outcomes.map((outcome): Outcome => {
    if ('error' in outcome) return outcome
    const one = mustHave(changed[outcome.place], 'the outcome of a change')
    return 'refused' in one ? { error: one.message } : { result: resultOf(one) }
  })
}

export const memoryTools: ToolSet = {
  name: 'memory',
  title: 'Memory',
  description: 'Read and write the agent’s memory files, which outlive the run.',
  tools: [memoryList, memoryRead, memoryWrite, memoryAppend, memoryDelete],
  provider: null,
}
