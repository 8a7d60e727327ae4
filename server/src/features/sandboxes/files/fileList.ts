// The list of a folder as callers see it, one level deep.
import type { Sql } from '../../../base/db.ts'
import { named, oneOf, Time, Type, type Static } from '../../../kit/schema.ts'
import { FolderPath, nothingThere } from './requestPath.ts'
import { listFolders, type WorkspaceRef } from '../workspace/workspace.ts'
import { workspaceRoot } from '../workspace/workspacePath.ts'

/** A workspace holds no more than this (quota.ts): a list is whole. */
const entriesMax = 10_000

export const ListQuery = Type.Object({ path: Type.Optional(FolderPath) })

export const FileList = Type.Object({
  files: Type.Array(
    named(
      'WorkspaceEntry',
      Type.Object({
        name: Type.String(),
        path: Type.String({ examples: ['/workspace/out/report.md'] }),
        type: oneOf(['file', 'dir']),
        size_bytes: Type.Integer({ minimum: 0, description: 'Of a folder: of all that is below it.' }),
        modified_at: Time,
      }),
    ),
  ),
  path: Type.String({ examples: [workspaceRoot] }),
})

/** `place` is the workspace; undefined for a run that has none: then the root is empty. */
export async function listFolder(
  sql: Sql,
  place: WorkspaceRef | undefined,
  path: string,
): Promise<Static<typeof FileList>> {
  const [files] = place ? await listFolders(sql, [{ ...place, path }], entriesMax) : []
  if (files) return { files, path }
  if (path === workspaceRoot) return { files: [], path }
  throw nothingThere()
}
