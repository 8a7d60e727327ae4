// Lists the pages of a browser session, those that were closed too.
import { operation } from '../../kit/operation.ts'
import { Id, named, nullable, oneOf, Time, Type } from '../../kit/schema.ts'
import { imageUrl } from './screenshot.ts'

const BrowserPage = named(
  'BrowserPage',
  Type.Object({
    id: Id,
    url: Type.String(),
    title: Type.String(),
    active: Type.Boolean({ description: 'The one that actions are done on.' }),
    opened_at: Time,
    closed_at: nullable(Time),
    last_screenshot_url: nullable(Type.String({ description: 'Signed: it needs no other credential, and expires.' })),
  }),
)

interface Row {
  id: string
  url: string
  title: string
  active: boolean
  opened_at: Date
  closed_at: Date | null
  screenshot_id: string | null
}

export const listBrowserSessionPages = operation({
  id: 'listBrowserSessionPages',
  client: 'browser.listPages',
  route: 'GET /v2/browser-agent/session/:session_id/pages',
  summary: 'List the pages of a browser session',
  description:
    'The session of a run is its browser_session_id. It stays open while the run waits, and closes with its end.',
  scope: 'files:read',
  status: 200,
  answer: Type.Object({
    session_id: Id,
    run_id: Id,
    status: oneOf(['open', 'closed']),
    pages: Type.Array(BrowserPage),
  }),
  async handler({ team, session, sql, context }) {
    const rows = await sql<Row>`
      select p.id, p.url, p.title, p.active, p.opened_at, p.closed_at, last.id as screenshot_id
      from browser_pages p
      left join lateral (
        select s.id from browser_screenshots s where s.page_id = p.id and s.team_id = p.team_id order by s.seq desc limit 1) last on true
      where p.session_id = ${session.id} and p.team_id = ${team.id} order by p.opened_at, p.id`
    return {
      session_id: session.id,
      run_id: session.run_id,
      status: session.status,
      pages: rows.map(({ screenshot_id, ...page }) => {
        return { ...page, last_screenshot_url: screenshot_id && imageUrl(context, team.id, screenshot_id) }
      }),
    }
  },
})
