// Names stored bytes as a file of the team: a new one, or in place of what was there.
import { one, type Sql } from '../../base/db.ts'
import { Fault } from '../../base/errors.ts'
import { newId } from '../../base/ids.ts'
import { storageProblem, storageProblemAhead } from '../../engine/engine.ts'
import type { Context } from '../../kit/context.ts'
import { fileColumns, requireFreePlace, type TeamFile } from './teamFile.ts'

/** How many files a team may keep. */
const filesMax = 1000

interface Stored {
  name: string
  sha256: string
  size_bytes: number
  /** Who sent it. */
  memberId: string | null
}

/** Refuses a file that cannot be there under its name, or that does not fit. `isAhead`: its bytes are still to come. */
export async function requireRoom(
  context: Context,
  sql: Sql,
  teamId: string,
  { name, size_bytes, isAhead = false }: Pick<Stored, 'name' | 'size_bytes'> & { isAhead?: boolean },
): Promise<void> {
  const [before] = await sql<{ id: string; size_bytes: number }>`
    select id, size_bytes from team_files where team_id = ${teamId} and name = ${name}`
  await requireFreePlace(sql, teamId, name, before?.id ?? null)
  const { files } = await one(
    sql<{ files: number }>`select count(*) as files from team_files where team_id = ${teamId}`,
  )
  if (!before && files >= filesMax) {
    throw new Fault('conflict', `This team keeps ${filesMax} files, which is the most. Delete some.`)
  }
  const storage = isAhead ? storageProblemAhead : storageProblem
  const problem = await storage(context, sql, teamId, size_bytes - (before?.size_bytes ?? 0))
  if (problem !== undefined) throw new Fault('entitlement_exceeded', problem)
}

/** In the caller's transaction. */
export async function storeFile(context: Context, sql: Sql, teamId: string, stored: Stored): Promise<TeamFile> {
  const { name, sha256, size_bytes, memberId } = stored
  await requireRoom(context, sql, teamId, stored)
  return one(sql<TeamFile>`
    with f as (
      insert into team_files (id, team_id, user_id, name, sha256, size_bytes)
      values (${newId()}, ${teamId}, ${memberId}, ${name}, decode(${sha256}, 'hex'), ${size_bytes})
      on conflict (team_id, name) do update set user_id = excluded.user_id, sha256 = excluded.sha256,
        size_bytes = excluded.size_bytes, updated_at = now()
      returning *)
    select ${fileColumns} from f`)
}
