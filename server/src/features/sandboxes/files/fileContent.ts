// The content of a file as callers see it: text if it is text, and always a URL to download it.
import { isUtf8 } from 'node:buffer'
import { postgresBlobs } from '../../../drivers/blobs/postgres.ts'
import type { Sql } from '../../../base/db.ts'
import { Fault } from '../../../base/errors.ts'
import type { Context } from '../../../kit/context.ts'
import { signedUrl } from '../../../kit/signedUrl.ts'
import { nullable, oneOf, Type, type Static } from '../../../kit/schema.ts'
import { FilePath, nameOf, nothingThere, RunFilePath } from './requestPath.ts'
import { contentTypeOf } from '../workspace/contentType.ts'
import { findFiles, type FoundFile, type WorkspaceRef } from '../workspace/workspace.ts'

/** What is larger is only downloaded. */
export const directBytesMax = 10 * 1024 * 1024
/** How long a URL is the same for all who ask; it is valid for one to two times as long. */
const downloadValidS = 3600

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
  content: nullable(
    Type.String({ description: 'Null for a file of more than 10 MiB: use `download_url`.', examples: ['# Report'] }),
  ),
  encoding: oneOf(['utf-8', 'base64'], {
    description: '`utf-8` where the content is text, else `base64`; also where it is null.',
  }),
  content_type: Type.String({ description: 'By the ending of the name.', examples: ['text/markdown'] }),
  size_bytes: Type.Integer({ minimum: 0 }),
  download_url: Type.String({
    description: 'Gives the bytes without a credential, for at least an hour.',
    examples: ['http://127.0.0.1:4700/files/…/report.md?path=…&team=…&expires=…&signature=…'],
  }),
})

export async function readContent(
  context: Context,
  sql: Sql,
  place: WorkspaceRef | undefined,
  path: string,
): Promise<Static<typeof FileContent>> {
  const [file] = place ? await findFiles(sql, [{ ...place, path }]) : []
  if (!place || !file) throw nothingThere()
  return {
    path,
    ...(await contentOf(sql, file)),
    content_type: contentTypeOf(path),
    size_bytes: file.size_bytes,
    download_url: downloadUrl(context, place, file),
  }
}

async function contentOf(
  sql: Sql,
  { sha256, size_bytes }: FoundFile,
): Promise<{ content: string | null; encoding: 'utf-8' | 'base64' }> {
  if (size_bytes > directBytesMax) return { content: null, encoding: 'base64' }
  const bytes = (await postgresBlobs(sql).get([sha256])).get(sha256)
  // the workspace changed between the two statements, and nothing refers to the bytes any more
  if (!bytes) throw nothingThere()
  const isText = isUtf8(bytes) && !bytes.includes(0)
  return isText
    ? { content: bytes.toString('utf8'), encoding: 'utf-8' }
    : { content: bytes.toString('base64'), encoding: 'base64' }
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
