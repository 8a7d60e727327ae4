// The timeline of a run's browser: one picture for each action, in order.
import type { Context } from '../../kit/context.ts'
import { operation } from '../../kit/operation.ts'
import { Id, Type } from '../../kit/schema.ts'
import { teamTimeOf } from '../../kit/teamTime.ts'
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

/** How many pictures are read and signed at once, two addresses each. Others have their turn between two batches. */
const batch = 250

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
    const screenshots: ReturnType<typeof signed>[] = []
    for (let isRest = true; isRest;) {
      const rows = await sql<Row>`
        select id, session_id, page_id, seq, step, action, url, title, taken_at, offset_ms, width, height
        from browser_screenshots where run_id = ${run.id} and team_id = ${team.id} and seq > ${screenshots.at(-1)?.seq ?? 0}
        order by seq limit ${batch}`
      screenshots.push(...teamTimeOf(context).piece(team.id, () => rows.map((row) => signed(context, team.id, row))))
      isRest = rows.length === batch
    }
    const [lasted] = await sql<{ ms: number }>`
      select greatest(0, extract(epoch from coalesce(completed_at, now()) - started_at) * 1000)::bigint as ms
      from runs where id = ${run.id} and team_id = ${team.id} and started_at is not null`
    return {
      run_id: run.id,
      duration_ms: Math.max(lasted?.ms ?? 0, screenshots.at(-1)?.offset_ms ?? 0),
      screenshots,
    }
  },
})

const signed = (context: Context, teamId: string, row: Row) => ({
  ...row,
  image_url: imageUrl(context, teamId, row.id),
  thumbnail_url: thumbnailUrl(context, teamId, row.id),
})
