// Writes the traces of actions with the result of their call: the session and its state, its pages, and a picture of each action.
import type { Sql } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { storableText } from '../../base/storable.ts'
import { noteBrowserSession } from '../../engine/ledger/noteSession.ts'
import type { Acted, PageState, SessionState } from '../../drivers/browser/browser.ts'
import { blobsFor } from '../../kit/blobs.ts'
import type { Context } from '../../kit/context.ts'
import type { CallingRun } from '../../kit/tool.ts'
import { sealState } from './browserSession.ts'

export interface Act {
  /** What was done, in a few words; never what was typed. */
  action: string
  acted: Acted
}

interface Recorded {
  context: Context
  run: CallingRun
  step: number
  sessionId: string
  acts: Act[]
  /** Undefined if it could not be read: then the stored state stays. */
  state: SessionState | undefined
}

export async function recordActs(sql: Sql, recorded: Recorded): Promise<void> {
  const { context, run, sessionId, acts, state } = recorded
  const sealed = state ? sealState(context, sessionId, state) : null
  await sql`
    insert into browser_sessions as s (id, team_id, run_id, state) values (${sessionId}, ${run.team_id}, ${run.id}, ${sealed})
    on conflict (run_id) do update set status = 'open', closed_at = null, state = coalesce(excluded.state, s.state)`
  await noteBrowserSession(sql, run.id, sessionId)
  await recordPages(sql, recorded)
  const pictured = acts.flatMap(({ action, acted }): Pictured[] => {
    const { screenshot, thumbnail } = acted
    return screenshot && thumbnail ? [{ action, acted: { ...acted, screenshot, thumbnail } }] : []
  })
  if (pictured.length > 0) await recordPictures(sql, recorded, pictured)
}

/** The pages as they are after the last action, and the end of those that are gone. */
async function recordPages(sql: Sql, { run, sessionId, acts }: Recorded): Promise<void> {
  const last = acts.at(-1)?.acted.pages ?? []
  const open = new Set(last.map(({ id }) => id))
  const seen = new Map(acts.flatMap(({ acted }) => [acted.page, ...acted.pages]).map((page) => [page.id, page]))
  for (const page of last) seen.set(page.id, page)
  const pages: PageState[] = [...seen.values()]
  await sql`
    insert into browser_pages (id, team_id, session_id, url, title, active, opened_at)
    select p.id, ${run.team_id}, ${sessionId}, p.url, p.title, p.active, p.opened_at
    from unnest(
      ${pages.map(({ id }) => id)}::uuid[], ${pages.map(({ url }) => storableText(url))}::text[],
      ${pages.map(({ title }) => storableText(title))}::text[], ${pages.map(({ active }) => active)}::boolean[],
      ${pages.map(({ openedAt }) => openedAt.toISOString())}::timestamptz[]) as p (id, url, title, active, opened_at)
    on conflict (id) do update set url = excluded.url, title = excluded.title, active = excluded.active, closed_at = null`
  await sql`
    update browser_pages set active = false, closed_at = now()
    where session_id = ${sessionId} and team_id = ${run.team_id} and closed_at is null and id <> all(${[...open]}::uuid[])`
}

/** An action after which pictures were taken. */
interface Pictured {
  action: string
  acted: Act['acted'] & Required<Pick<Act['acted'], 'screenshot' | 'thumbnail'>>
}

/** Times are the database's, as those of the run are: what counts is how long ago a picture was taken. */
async function recordPictures(sql: Sql, { context, run, step, sessionId }: Recorded, acts: Pictured[]): Promise<void> {
  const now = Date.now()
  const pictures = [...acts.map(({ acted }) => acted.screenshot), ...acts.map(({ acted }) => acted.thumbnail)]
  const names = await blobsFor(context, sql).put(pictures.map(({ bytes }) => bytes))
  const [sha256s, thumbnails] = [names.slice(0, acts.length), names.slice(acts.length)]
  await sql`
    insert into browser_screenshots (
      id, team_id, session_id, run_id, page_id, seq, step, action, url, title, taken_at, offset_ms, width, height, sha256, thumbnail_sha256)
    select s.id, ${run.team_id}, ${sessionId}, ${run.id}, s.page_id,
      (select coalesce(max(seq), 0) from browser_screenshots where run_id = ${run.id} and team_id = ${run.team_id}) + s.n,
      ${step}, s.action, s.url, s.title, taken.at,
      greatest(0, extract(epoch from taken.at - r.started_at) * 1000)::bigint, s.width, s.height,
      decode(s.sha256, 'hex'), decode(s.thumbnail, 'hex')
    from unnest(
      ${acts.map(() => newId())}::uuid[], ${acts.map(({ acted }) => acted.page.id)}::uuid[],
      ${acts.map(({ action }) => storableText(action).slice(0, 300))}::text[], ${acts.map(({ acted }) => storableText(acted.page.url))}::text[],
      ${acts.map(({ acted }) => storableText(acted.page.title))}::text[], ${acts.map(({ acted }) => now - acted.takenAt.getTime())}::int[],
      ${acts.map(({ acted }) => acted.screenshot.width)}::int[], ${acts.map(({ acted }) => acted.screenshot.height)}::int[],
      ${sha256s}::text[], ${thumbnails}::text[])
      with ordinality as s (id, page_id, action, url, title, age_ms, width, height, sha256, thumbnail, n)
    join runs r on r.id = ${run.id} and r.team_id = ${run.team_id}
    cross join lateral (select clock_timestamp() - make_interval(secs => s.age_ms / 1000.0) as at) as taken`
}
