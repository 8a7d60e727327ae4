// The timeline of a run's browser: one picture for each action, in order.
import { operation } from '../../kit/operation.ts'
import { Id, Type } from '../../kit/schema.ts'
import { imageUrl, Screenshot, thumbnailUrl } from './screenshot.ts'

interface Row {
  id: string
  session_id: string
  page_id: string
  seq: number
  step: number
  action: string
  url: string
  title: string
  taken_at: Date
  offset_ms: number
  width: number
  height: number
}

export const getRunScreenshotTimeline = operation({
  id: 'getRunScreenshotTimeline',
  client: 'runs.screenshots',
  route: 'GET /v2/agent-runs/:run_id/screenshots/timeline',
  summary: 'Get the screenshots of a run',
  description: 'One picture after each action in the browser, oldest first. A run that used no browser has none.',
  scope: 'files:read',
  status: 200,
  answer: Type.Object({
    run_id: Id,
    duration_ms: Type.Integer({
      minimum: 0,
      description: 'From the start of the run to its end, or to now.',
    }),
    screenshots: Type.Array(Screenshot),
  }),
  async handler({ team, run, sql, context }) {
    const rows = await sql<Row>`
      select id, session_id, page_id, seq, step, action, url, title, taken_at, offset_ms, width, height
      from browser_screenshots where run_id = ${run.id} and team_id = ${team.id} order by seq`
    const [lasted] = await sql<{ ms: number }>`
      select greatest(0, extract(epoch from coalesce(completed_at, now()) - started_at) * 1000)::bigint as ms
      from runs where id = ${run.id} and team_id = ${team.id} and started_at is not null`
    return {
      run_id: run.id,
      duration_ms: Math.max(lasted?.ms ?? 0, rows.at(-1)?.offset_ms ?? 0),
      screenshots: rows.map((row) => {
        const { id } = row
        return { ...row, image_url: imageUrl(context, team.id, id), thumbnail_url: thumbnailUrl(context, team.id, id) }
      }),
    }
  },
})
