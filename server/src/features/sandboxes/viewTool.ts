// The tool by which a model looks at a picture or a PDF of its sandbox: it is shown beside the result, to models that take such files.
import type { Sql } from '../../base/db.ts'
import { readRunConfig } from '../../engine/builds/loadBuild.ts'
import type { Context } from '../../kit/context.ts'
import { laidFilesOf } from '../../kit/registry.ts'
import { Type } from '../../kit/schema.ts'
import { factsOf, showStored } from '../../kit/shownFile.ts'
import { outsideTool, type CallingRun } from '../../kit/tool.ts'
import { findFiles, workspacesOf } from './workspace/workspace.ts'
import { workspacePath } from './workspace/workspacePath.ts'

interface Found {
  path: string
  sha256: string
  size_bytes: number
}

// an outside tool although it only reads: large files must not keep the commits of other runs waiting
export const sandboxViewFile = outsideTool({
  name: 'sandbox_view_file',
  description:
    'Look at a picture (PNG, JPEG, GIF, WebP) or a PDF of the sandbox: in /workspace, or among the files in /files and /skills.',
  input: Type.Object({
    path: Type.String({ description: 'Relative to /workspace, or absolute below /workspace, /files or /skills.' }),
  }),
  onDoubt: 'retry',
  leaves: 'never',
  timeoutMs: 60_000,
  async execute({ run, input }, { context }) {
    const { sql } = context.db
    const file = await findFile(context, sql, run, input.path)
    if ('problem' in file) return { error: file.problem }
    const { path, sha256, size_bytes } = file
    const seen = await showStored(context, sql, { name: path, sha256, size_bytes })
    if ('problem' in seen) return { error: `${seen.problem} A command in the sandbox can work with it.` }
    return { result: { path, ...factsOf(seen.shown) }, shows: [seen.shown] }
  },
})

/** Only what lies in the run's own workspace, or what its build gives it. */
async function findFile(
  context: Context,
  sql: Sql,
  run: CallingRun,
  text: string,
): Promise<Found | { problem: string }> {
  if (/^\/(?:files|skills)\//.test(text)) {
    const { given } = await readRunConfig(sql, run)
    const laid = (await laidFilesOf({ context, run, given })).find(({ path }) => path === text)
    return laid ?? { problem: `The build gives this run no file ${JSON.stringify(text)}.` }
  }
  const checked = workspacePath(text)
  if ('problem' in checked) return checked
  const place = (await workspacesOf(sql, [run])).get(run.id)
  const [file] = await findFiles(sql, [place && { ...place, path: checked.path }])
  return file ?? { problem: `there is no file ${checked.path} in the workspace` }
}
