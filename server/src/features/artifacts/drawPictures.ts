// Draws a picture of each new page in the background: one at a time in each working process, the teams in turns.
import { part, type Sql } from '../../base/db.ts'
import { blobsFor } from '../../kit/blobs.ts'
import type { Context } from '../../kit/context.ts'
import type { Work } from '../../kit/feature.ts'
import { lookFor } from '../../kit/sharedLook.ts'
import { printFor } from './printing.ts'
import { pageOfRevision } from './renderPage.ts'

/** How wide the page is drawn; the picture that is stored is a small one of it. */
const width = 1200
const height = 750
/** How often a picture may fail in a row before it is given up. */
const failuresMax = 3

interface Due {
  id: string
  team_id: string
}

const isDue = part`picture_due_at <= now()`
const asked = { any: part`exists (select from artifact_revisions where ${isDue})` }

export function startDrawing(context: Context): Work & { idle: () => Promise<void> } {
  const stopping = new AbortController()
  let drawing: Promise<void> | undefined
  async function drawDue(): Promise<void> {
    while (!stopping.signal.aborted) {
      const due = await claimPicture(context.db.sql)
      if (!due) return
      await draw(context, due, stopping.signal)
    }
  }
  return {
    poll: async () => {
      if (drawing || !(await lookFor(context, asked)).any) return
      drawing ??= drawDue()
        .catch((error: unknown) =>
          context.log.warn({ err: error }, 'could not draw the pictures of artifacts; will retry'),
        )
        .finally(() => (drawing = undefined))
    },
    /** Resolves when nothing is due any more. */
    idle: async () => drawing,
    async stop() {
      stopping.abort()
      await drawing
    },
  }
}

/** The claim is a later due time: if this process dies, another one draws the picture then. A random team goes first, whatever it has due. */
export async function claimPicture(sql: Sql): Promise<Due | undefined> {
  const [due] = await sql<Due>`
    update artifact_revisions r set picture_failures = picture_failures + 1,
      picture_due_at = case when picture_failures + 1 < ${failuresMax} then now() + interval '2 minutes' end
    where id = (
      select id from artifact_revisions where id in (
        select id from (
          select distinct on (team_id) id, picture_due_at from artifact_revisions where ${isDue}
          order by team_id, picture_due_at
        ) of_teams order by random())
      and ${isDue} limit 1 for update skip locked)
    returning id, team_id`
  return due
}

async function draw(context: Context, { id, team_id: teamId }: Due, signal: AbortSignal): Promise<void> {
  const { sql } = context.db
  try {
    const page = await pageOfRevision(context, sql, { teamId, revisionId: id, theme: 'light' })
    if (!page) return
    const wanted = { width, height, theme: 'light' as const, signal }
    const { thumbnail } = await printFor(context, teamId, (printer) => printer.picture(page.html, wanted), signal)
    await blobsFor(context, sql).bring([thumbnail.bytes])
    await context.db.transaction(async (on) => {
      const [sha256 = ''] = await blobsFor(context, on).put([thumbnail.bytes])
      // a refresh since then has made another picture due, which stays so
      await on`
        update artifact_revisions set picture_sha256 = decode(${sha256}, 'hex'), picture_failures = 0,
          picture_due_at = case when data_at > ${page.at} then picture_due_at end
        where id = ${id}`
    })
  } catch (error) {
    if (signal.aborted) return
    context.log.warn({ err: error, revision_id: id }, 'could not draw the picture of an artifact')
  }
}
