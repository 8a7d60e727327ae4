// The content of a file as callers see it: text if it is text, and always a URL to download it.
import type { Sql } from '../../../base/db.ts'
import { Fault } from '../../../base/errors.ts'
import type { Context } from '../../../kit/context.ts'
import { signedUrl } from '../../../kit/signedUrl.ts'
import { ContentFields, downloadValidS, readStored } from '../../../kit/storedFile.ts'
import { Type, type Static } from '../../../kit/schema.ts'
import { FilePath, nameOf, nothingThere, RunFilePath } from './requestPath.ts'
import { contentTypeOf } from '../../../base/contentType.ts'
import { findFiles, type FoundFile, type WorkspaceRef } from '../workspace/workspace.ts'

export const ContentQuery = Type.Object({ path: FilePath })

/** A run mostly leaves one file, which can be read without its path. */
export const RunContentQuery = Type.Object({ path: Type.Optional(RunFilePath) })

/** A refusal must stay readable; the list of files has the full names. */
const filesNamed = 20
const nameLengthTold = 80

/** The only file of a run's workspace. */
export async function onlyPath(sql: Sql, place: WorkspaceRef | undefined): Promise<string> {
  const files = place
    ? await sql<{ path: string; total: number }>`
        select path, (count(*) over ())::int as total from workspace_files
        where sandbox_id = ${place.sandbox_id} and team_id = ${place.team_id} and until_step is null and kind = 'file'
        order by path limit ${filesNamed}`
    : []
  if (files.length === 1) return files[0]!.path
  if (files.length === 0) throw new Fault('invalid_request', 'path is missing in the query. This run has no files yet.')
  const names = files.map(({ path }) =>
    path.length <= nameLengthTold ? path : `${path.slice(0, nameLengthTold).toWellFormed()}…`,
  )
  const left = files[0]!.total - files.length
  const rest = left > 0 ? `, and ${left} more` : ''
  throw new Fault('invalid_request', `path is missing in the query. This run has: ${names.join(', ')}${rest}.`)
}

export const FileContent = Type.Object({
  path: Type.String({ examples: ['/workspace/out/report.md'] }),
  ...ContentFields,
})

export async function readContent(
  context: Context,
  sql: Sql,
  place: WorkspaceRef | undefined,
  path: string,
): Promise<Static<typeof FileContent>> {
  const [file] = place ? await findFiles(sql, [{ ...place, path }]) : []
  if (!place || !file) throw nothingThere()
  const stored = await readStored(context, sql, file)
  // the workspace changed between the two statements, and nothing refers to the bytes any more
  if (!stored) throw nothingThere()
  return {
    path,
    ...stored,
    content_type: contentTypeOf(path),
    size_bytes: file.size_bytes,
    download_url: downloadUrl(context, place, file),
  }
}

/** The URL contains the hash of the bytes: what it gives never changes, so it may be cached as long as it is valid. */
function downloadUrl(context: Context, { sandbox_id, team_id }: WorkspaceRef, { path, sha256 }: FoundFile): string {
  return signedUrl(context, {
    method: 'GET',
    path: `/files/${sandbox_id}/${sha256}/${encodeURIComponent(nameOf(path))}`,
    query: { path },
    teamId: team_id,
    validS: downloadValidS,
  })
}
