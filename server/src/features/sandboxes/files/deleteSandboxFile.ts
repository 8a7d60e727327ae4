// Deletes a file of a sandbox, or a folder with all that is below it.
import { operation } from '../../../kit/operation.ts'
import { Type } from '../../../kit/schema.ts'
import { askedPathBelow, nothingThere } from './requestPath.ts'
import { recordChanges } from '../workspace/changes.ts'
import { ContentQuery } from './fileContent.ts'
import { lockFreeSandbox } from '../workspace/sandbox.ts'

export const deleteSandboxFile = operation({
  id: 'deleteSandboxFile',
  client: 'sandboxes.deleteFile',
  route: 'DELETE /v2/sandboxes/:sandbox_id/files',
  summary: 'Delete a file or folder of a sandbox',
  description:
    'A folder is deleted with everything below it. Contents from earlier steps of a run are still stored, and count as usage.',
  scope: 'sandboxes:write',
  query: ContentQuery,
  status: 200,
  answer: Type.Object({ success: Type.Literal(true), path: Type.String({ examples: ['/workspace/out/report.md'] }) }),
  errors: ['sandbox_busy'],
  async handler({ sandbox, query, sql }) {
    const path = askedPathBelow(query.path)
    const { sandbox_id, team_id, last_step: step } = await lockFreeSandbox(sql, sandbox)
    // 0 is the character after /: between the two lies all that is below a folder
    const gone = await sql<{ path: string }>`
      select path from workspace_files
      where sandbox_id = ${sandbox_id} and team_id = ${team_id} and until_step is null
        and (path = ${path} and kind <> 'link' or path > ${path} || '/' and path < ${path} || '0')`
    if (gone.length === 0) throw nothingThere()
    await recordChanges(
      sql,
      gone.map((row) => ({ sandbox_id, team_id, path: row.path, step, entry: null })),
    )
    return { success: true as const, path }
  },
})
