// The connections that the steps of an artifact may use.
import type { Sql } from '../../base/db.ts'
import { isId } from '../../base/ids.ts'
import type { Context } from '../../kit/context.ts'
import { hiddenAgentsOf } from '../../kit/registry.ts'

/** Attaches connections of the team, whose ids are in small letters; gives the ids that name none. */
export async function attachConnections(
  sql: Sql,
  artifact: { id: string; team_id: string },
  ids: string[],
): Promise<string[]> {
  const found = await sql<{ id: string }>`
    select id from connections where team_id = ${artifact.team_id} and id = any(${ids.filter(isId)}::uuid[]) order by id for share`
  const known = new Set(found.map(({ id }) => id))
  const missing = ids.filter((id) => !known.has(id))
  if (missing.length > 0) return missing
  await sql`
    insert into artifact_connections (artifact_id, connection_id) select ${artifact.id}, unnest(${[...known]}::uuid[])`
  return []
}

export async function connectionIdsOf(sql: Sql, artifactId: string): Promise<string[]> {
  const rows = await sql<{ connection_id: string }>`
    select connection_id from artifact_connections where artifact_id = ${artifactId} order by created_at, connection_id`
  return rows.map(({ connection_id }) => connection_id)
}

/** Refreshes use what is attached from now on; the config of a message is written when the message comes. */
export async function configureConnections(
  context: Context,
  sql: Sql,
  artifact: { id: string; team_id: string; page_build_id: string },
  by: string,
): Promise<void> {
  const ids = await connectionIdsOf(sql, artifact.id)
  const [build] = await sql<{ config: { data: object } }>`
    select config from builds where id = ${artifact.page_build_id} and team_id = ${artifact.team_id}`
  if (!build) return
  const config = { ...build.config, data: { ...build.config.data, connections: ids } }
  await hiddenAgentsOf(context).configure({
    sql,
    teamId: artifact.team_id,
    buildId: artifact.page_build_id,
    config,
    by,
  })
}
