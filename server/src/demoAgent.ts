// The demo agent of a first start: a procedure that a newcomer can run, read and edit, without a model or a key.
import type { Sql } from './base/db.ts'
import { insertAgent } from './features/agents/agent.ts'
import { insertBuild } from './features/agents/builds/build.ts'

const demoName = 'Demo: paper order'

const demoProcedure = `# Demo: the weekly paper order

This page is an operating procedure. Text like this is for people, and for a model where an agent has one. The fenced
blocks are steps: they are carried out in order, exactly as written, and each result is kept. This agent needs no model.
A run of it takes a few seconds and one answer from you.

## 1. Write down what is there

The message that starts a run may bring the counts: \`{"shelves": [4, 9, 2]}\`. Without one, last week's are taken. What
stands between double braces is worked out when the step runs, and the file stays with the run.

\`\`\`file path=shelves.json
{{ message.shelves | default("[12, 7, 23]" | parse) }}
\`\`\`

## 2. Wait

A run that waits costs nothing: no process holds it, and it continues where it was after any restart. You may stop the
server while it waits.

\`\`\`wait
5s
\`\`\`

## 3. Ask before money is spent

A step can call any tool by its name. This one reads the file, and the next step works with what was read.

\`\`\`tool name=sandbox_read_file id=count
{"path": "shelves.json"}
\`\`\`

Nothing is ordered without approval. A no ends the step, not the run.

\`\`\`approve id=order on_error=continue timeout=7d on_timeout=reject
Order ten boxes of paper?
On the shelves: {{ steps.count.output.content | parse | join(" + ") }}.
In all: {{ steps.count.output.content | parse | sum }} boxes.
\`\`\`

## 4. Report the result

\`\`\`output
{
  "boxes_left": {{ steps.count.output.content | parse | sum }},
  "ordered": {{ steps.order.ok }},
  "comment": {{ steps.order.output.comment }}
}
\`\`\`
`

/** In the transaction that makes its team. */
export async function createDemoAgent(sql: Sql, owner: { teamId: string; memberId: string }): Promise<string> {
  const { teamId, memberId } = owner
  const id = await insertAgent(sql, {
    teamId,
    name: demoName,
    description: 'Counts paper, waits a moment, asks you before it orders. Made at the first start; delete it at will.',
    memoryEnabled: true,
    createdBy: memberId,
  })
  await insertBuild(sql, {
    teamId,
    agentId: id,
    name: undefined,
    status: 'live',
    // by its name, so that it stays the same where the server has a model of its own
    config: { version: 'v2', data: { input: demoProcedure, models: { agent: { model: 'builtin:runbook' } } } },
    parentBuildId: null,
    createdBy: memberId,
  })
  return id
}

/** Undefined: it was deleted, renamed, or never made. */
export async function findDemoAgent(sql: Sql, teamId: string): Promise<string | undefined> {
  const [agent] = await sql<{ id: string }>`
    select id from agents where team_id = ${teamId} and name = ${demoName} and deleted_at is null and not is_hidden order by created_at limit 1`
  return agent?.id
}
