// The tool by which a model, or a choice among built-in pages, changes a page: the new steps are run at once, by a run below this one.
import type { Sql } from '../../base/db.ts'
import { parseRunbook } from '../../drivers/model/runbook/parse.ts'
import { readRunConfig } from '../../engine/builds/loadBuild.ts'
import { parseBuildConfig } from '../../engine/builds/buildConfig.ts'
import { engineOf } from '../../engine/engine.ts'
import { readActsFor } from '../../engine/ledger/actsFor.ts'
import { hasEnded, type RunError, type Status } from '../../engine/ledger/lifecycle.ts'
import type { Context } from '../../kit/context.ts'
import { joinProblems } from '../../kit/problems.ts'
import { hiddenAgentsOf } from '../../kit/registry.ts'
import { oneOf, Type, type Static } from '../../kit/schema.ts'
import { teamTimeOf } from '../../kit/teamTime.ts'
import { waitingTool, type Outcome, type ToolCall } from '../../kit/tool.ts'
import { findTemplate, templateNames } from './messagePlan.ts'
import { joinSource, splitSource } from './pageSource.ts'
import { cut } from './readPageTool.ts'
import { pageConfig } from './workConfig.ts'
import { artifactOfRun, notWorking, pageNow, type WorkedOn } from './workingOn.ts'

/** How many characters the steps and the template may have each. */
const lengthMax = 256 * 1024
const Part = { minLength: 1, maxLength: lengthMax }

const Input = Type.Object({
  procedure: Type.Optional(Type.String({ ...Part, description: 'All steps, as Markdown with fenced blocks.' })),
  html: Type.Optional(Type.String({ ...Part, description: 'The whole template.' })),
  edits: Type.Optional(
    Type.Array(
      Type.Object({
        in: oneOf(['procedure', 'html']),
        find: Type.String({ ...Part, description: 'A text that occurs there exactly once.' }),
        replace: Type.String({ maxLength: lengthMax }),
      }),
      { maxItems: 50, description: 'Small changes, made one after the other, instead of the whole text.' },
    ),
  ),
  template: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'The name of a built-in page, instead of the other fields.',
    }),
  ),
})
type Input = Static<typeof Input>

export const artifactSave = waitingTool({
  name: 'artifact_save',
  description:
    'Change the page of this artifact: its steps, its template, or both. The steps are run, and you get their data, or what is wrong.',
  input: Input,
  waitsFor: 'sub_run',
  begin: beginSave,
  async resolve({ run }, sql, { detail }): Promise<Outcome | undefined> {
    const { run_id: id } = detail as { run_id: string }
    const [child] = await sql<{
      status: Status
      error: RunError | null
    }>`select status, error from runs where id = ${id}`
    if (!child) return { error: 'The run of the steps was deleted.' }
    if (!hasEnded(child.status)) return undefined
    if (child.status !== 'completed') {
      return {
        error: child.status === 'stopped' ? 'The steps were stopped.' : `The steps failed: ${child.error?.message}`,
      }
    }
    const artifact = await artifactOfRun(sql, run)
    const page = artifact && (await pageNow(sql, artifact.id))
    const missing = await problemsShown(sql, id)
    return {
      result: {
        saved: true,
        run_id: id,
        data: cut(page?.data ?? null),
        ...(missing !== undefined && { problems: missing }),
      },
    }
  },
})

/** What the page cannot show, as its html block reported it. */
async function problemsShown(sql: Sql, runId: string): Promise<unknown> {
  const [step] = await sql<{ problems: unknown }>`
    select result -> 'problems' as problems from run_steps where run_id = ${runId} and tool = 'artifact_show' order by seq desc limit 1`
  return step?.problems ?? undefined
}

async function beginSave({ run, step, input }: ToolCall<Input>, sql: Sql, context: Context) {
  const artifact = await artifactOfRun(sql, run)
  if (!artifact || artifact.run_id !== run.id) return { error: notWorking }
  const source = await sourceOf(sql, artifact, input)
  if ('error' in source) return source
  const { problems } = teamTimeOf(context).piece(run.team_id, () => parseRunbook(source.text))
  if (problems.length > 0) {
    return { error: joinProblems(problems.map(({ line, message }) => `line ${line}: ${message}`)) }
  }
  const { connections } = await readRunConfig(sql, run)
  const config = pageConfig(context, source.text, connections)
  const actsFor = await readActsFor(sql, run.id)
  await hiddenAgentsOf(context).configure({
    sql,
    teamId: artifact.team_id,
    buildId: artifact.work_build_id,
    config,
    by: run.user_id ?? actsFor[0] ?? run.agent_id,
  })
  const engine = engineOf(context)
  const child = await engine.prepare({
    teamId: run.team_id,
    agentId: run.agent_id,
    buildId: artifact.work_build_id,
    source: 'artifact',
    userId: run.user_id,
    actsFor,
    message: null,
    title: `${artifact.title ?? 'Artifact'}: steps`,
    metadata: { artifact_id: artifact.id },
    limits: parseBuildConfig(config).limits,
    callbackUrl: null,
    sandboxId: null,
    parentRunId: run.id,
    parentStep: step,
    retryOfRunId: null,
    depth: run.depth + 1,
    case: null,
    isCapped: false,
  })
  const [refused] = (await engine.fitting(sql, [child])).refused
  if (refused) return { error: `The steps were not run. ${refused.reason}` }
  await engine.create(sql, [child])
  return { waiting_on: { kind: 'sub_run' as const, detail: { run_id: child.id } } }
}

/** The page as it shall be: what is given, and the rest as it is now. */
async function sourceOf(sql: Sql, artifact: WorkedOn, input: Input): Promise<{ text: string } | { error: string }> {
  if (input.template !== undefined) {
    const known = findTemplate(input.template)
    return known
      ? { text: joinSource(known.procedure, known.html) }
      : { error: `There is no template ${JSON.stringify(input.template)}. There are: ${templateNames()}.` }
  }
  const now = await pageNow(sql, artifact.id)
  // a procedure may bring its template as an html block
  const given = input.procedure === undefined ? undefined : splitSource(input.procedure)
  const texts = {
    procedure: given?.procedure ?? now?.procedure ?? '',
    html: input.html ?? given?.html ?? now?.html ?? '',
  }
  for (const { in: where, find, replace } of input.edits ?? []) {
    const text = texts[where]
    const at = text.indexOf(find)
    if (at === -1 || text.includes(find, at + 1)) {
      const times = at === -1 ? 'does not occur' : 'occurs more than once'
      return {
        error: `${JSON.stringify(find.slice(0, 80))} ${times} in the ${where}. Give a text that occurs there once.`,
      }
    }
    texts[where] = `${text.slice(0, at)}${replace}${text.slice(at + find.length)}`
    if (texts[where].length > lengthMax)
      return { error: `The ${where} may have ${lengthMax} characters. Make it shorter.` }
  }
  if (texts.html.trim() === '') return { error: 'There is no template yet. Give `html`.' }
  return { text: joinSource(texts.procedure, texts.html) }
}
