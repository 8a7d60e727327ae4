// The tool that an html block calls: it keeps the page that the steps made, until the work ends.
import { readPage } from '../../base/page/readPage.ts'
import { storableJson } from '../../base/storable.ts'
import type { Sql } from '../../base/db.ts'
import { readRunConfig } from '../../engine/builds/loadBuild.ts'
import { storageProblem } from '../../engine/engine.ts'
import type { Context } from '../../kit/context.ts'
import { joinProblems } from '../../kit/problems.ts'
import { Type } from '../../kit/schema.ts'
import { teamTimeOf } from '../../kit/teamTime.ts'
import { insideTool, type Outcome, type ToolCall } from '../../kit/tool.ts'
import { joinSource, splitSource } from './pageSource.ts'
import { drawPage } from './renderPage.ts'
import { tryPage } from './tryPage.ts'
import { artifactOfRun, notWorking } from './workingOn.ts'

/** How large the data of a page may be, as JSON. */
const dataBytesMax = 1024 * 1024

interface Shown {
  html: string
  steps: Record<string, { output?: unknown }>
}

export const artifactShow = insideTool({
  name: 'artifact_show',
  description: 'Called by an html block. To change a page, use artifact_save.',
  input: Type.Object({
    html: Type.String({ maxLength: 256 * 1024 }),
    steps: Type.Record(
      Type.String(),
      Type.Object({ output: Type.Optional(Type.Unknown()) }, { additionalProperties: true }),
    ),
  }),
  async apply(calls, sql, context) {
    const outcomes: Outcome[] = []
    for (const call of calls) outcomes.push(await show(call, sql, context))
    return outcomes
  },
})

async function show({ run, input }: ToolCall<Shown>, sql: Sql, context: Context): Promise<Outcome> {
  const artifact = await artifactOfRun(sql, run)
  if (!artifact) return { error: notWorking }
  const { procedure: source } = await readRunConfig(sql, run)
  const time = teamTimeOf(context)
  const { procedure, html: own } = time.piece(run.team_id, () => splitSource(source))
  if (own === null) return { error: 'This run has no html block. Use artifact_save.' }
  const { html } = input
  // the data of a refresh is shown by the template of the page
  if (artifact.work === 'refresh' && html !== own)
    return { error: 'A refresh shows the template of its page, and no other.' }
  const data = Object.fromEntries(Object.entries(input.steps).map(([id, { output }]) => [id, output ?? null]))
  const text = storableJson(data)
  const bytes = Buffer.byteLength(text)
  if (bytes > dataBytesMax) {
    return {
      error: `The steps gave ${bytes} bytes of data, and a page has at most ${dataBytesMax}. Let the steps give less.`,
    }
  }
  const written = time.piece(run.team_id, () => readPage(html).problems)
  if (written.length > 0) {
    return { error: joinProblems(written.map(({ line, message }) => `line ${line}: ${message}`)) }
  }
  // a page that could not be shown is never kept
  const at = new Date()
  const title = artifact.title ?? ''
  const tried = tryPage(() =>
    drawPage(context, { teamId: run.team_id, html, data: JSON.parse(text) as unknown, title, at }),
  )
  if ('error' in tried) return { error: tried.error }
  const room = artifact.work === 'refresh' ? await dataStored(sql, artifact.id) : 0
  const page = artifact.work === 'refresh' ? 0 : Buffer.byteLength(procedure) + Buffer.byteLength(html)
  const full = await storageProblem(context, sql, run.team_id, page + bytes - room)
  if (full !== undefined) return { error: `The page is not kept. ${full}` }
  const { problems } = tried
  await sql`
    insert into artifact_drafts as d (artifact_id, run_id, procedure, html, source, data, made_at, made_by, problems)
    select a.id, a.run_id, ${procedure}, ${html}, ${joinSource(procedure, html)}, ${text}::jsonb, ${at}, ${run.user_id},
      ${problems.length > 0 ? joinProblems(problems) : null}
    from artifacts a where a.id = ${artifact.id} and a.run_id = ${artifact.run_id}
    on conflict (artifact_id) do update set run_id = excluded.run_id, procedure = excluded.procedure, html = excluded.html,
      source = excluded.source, data = excluded.data, made_at = excluded.made_at, made_by = excluded.made_by,
      problems = excluded.problems`
  return { result: { shown: true, data_bytes: bytes, ...(problems.length > 0 && { problems }) } }
}

/** How many bytes the current page's data has, which a refresh replaces. */
async function dataStored(sql: Sql, artifactId: string): Promise<number> {
  const [stored] = await sql<{ bytes: number }>`
    select octet_length(r.data::text) as bytes from artifact_revisions r join artifacts a on a.current_revision_id = r.id
    where a.id = ${artifactId}`
  return stored?.bytes ?? 0
}
