// Inserts an artifact with its hidden agent: without a page, or with one (a copy, or the example of a first start).
import { one, type Part, type Sql } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import type { HiddenAgents } from '../../kit/feature.ts'

interface NewArtifact {
  teamId: string
  memberId: string
  title: string
  kind: string
  /** The configs of its hidden agent: for refreshes, and for messages. */
  configs: [page: object, work: object]
  /** SQL for one row with `procedure, html, data, data_at, picture_sha256`; null: it has no page. */
  page: Part | null
  /** Whose words are in that page; the member's unless given. */
  actsFor?: string[]
  /** Private unless given. */
  visibility?: 'team'
  /** Its first refresh is due at once. */
  refreshFrequency?: 'hourly'
}

/** How many artifacts a team may have. */
const artifactsMax = 5000

export async function requireRoom(
  sql: Sql,
  teamId: string,
  fail: (code: 'conflict', message: string) => never,
): Promise<void> {
  const { made } = await one(sql<{ made: number }>`select count(*) as made from artifacts where team_id = ${teamId}`)
  if (made < artifactsMax) return
  fail('conflict', `A team has at most ${artifactsMax} artifacts. Delete one first.`)
}

/** Returns its id. */
export async function insertArtifact(sql: Sql, hiddenAgents: HiddenAgents, wanted: NewArtifact): Promise<string> {
  const { teamId, memberId, title, kind, configs, page } = wanted
  const hidden = await hiddenAgents.create({ sql, teamId, name: title, createdBy: memberId, configs })
  const [pageBuild = '', workBuild = ''] = hidden.buildIds
  const id = newId()
  const revisionId = page ? newId() : null
  await sql`
    insert into artifacts (id, team_id, agent_id, page_build_id, work_build_id, created_by_user_id, acts_for, title, kind, status,
      current_revision_id, revisions_count, visibility, refresh_frequency, next_refresh_at)
    values (${id}, ${teamId}, ${hidden.agentId}, ${pageBuild}, ${workBuild}, ${memberId}, ${[...new Set([memberId, ...(wanted.actsFor ?? [])])]}::uuid[], ${title}, ${kind},
      ${page ? 'completed' : 'not_started'}, ${revisionId}, ${page ? 1 : 0},
      ${wanted.visibility ?? 'private'}, ${wanted.refreshFrequency ?? null}, case when ${wanted.refreshFrequency !== undefined} then now() end)`
  if (page) {
    await sql`
      insert into artifact_revisions (id, team_id, artifact_id, version, procedure, html, data, data_at, created_by, picture_sha256,
        picture_due_at)
      select ${revisionId}, ${teamId}, ${id}, 1, page.procedure, page.html, page.data, page.data_at, ${memberId}, page.picture_sha256,
        now()
      from (${page}) page`
  }
  return id
}
