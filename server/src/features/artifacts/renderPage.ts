// The page of a revision as HTML, tables and Markdown. It is rendered when somebody asks for it, and cached.
import { BoundedCache } from '../../base/boundedCache.ts'
import type { Sql } from '../../base/db.ts'
import { Fault } from '../../base/errors.ts'
import { readPage } from '../../base/page/readPage.ts'
import { renderPage, type RenderedPage } from '../../base/page/renderPage.ts'
import { StepBudget } from '../../base/stepBudget.ts'
import { bytesHeld } from '../../base/valueSize.ts'
import type { Context } from '../../kit/context.ts'
import { runningPart } from '../../kit/runningPart.ts'
import { oneOf, Type } from '../../kit/schema.ts'
import { teamTimeOf } from '../../kit/teamTime.ts'
import { tryPage } from './tryPage.ts'

const themes = ['light', 'dark'] as const
export type Theme = (typeof themes)[number]

export const themeField = {
  theme: Type.Optional(oneOf(themes, { description: 'Light or dark; without it, as the reader’s system says.' })),
}

/** How many steps the expressions of a page may take: about 100 ms of one core. */
const stepsMax = 5_000_000

const cacheOf = runningPart(
  'rendered pages',
  () =>
    new BoundedCache<RenderedPage>({
      name: 'rendered pages',
      entriesMax: 200,
      sizeMax: 32 * 1024 ** 2,
      sizeOf: ({ html, markdown, tables }) => 2 * (html.length + markdown.length) + bytesHeld(tables),
    }),
)

interface Page {
  teamId: string
  html: string
  data: unknown
  title: string
  at: Date
}

/** Throws TooManySteps or CannotRender if the page cannot be shown. */
export const drawPage = (context: Context, { teamId, html, data, title, at }: Page, theme?: Theme): RenderedPage =>
  teamTimeOf(context).piece(teamId, () =>
    renderPage(readPage(html).page, { data, title, at, ...(theme && { theme }), budget: new StepBudget(stepsMax) }),
  )

interface Row {
  html: string
  data: unknown
  data_at: Date
}

/** A page, with its title and the time of its data. */
export type ArtifactPage = RenderedPage & { title: string; at: Date }

/** Undefined: there is no such revision. A page that cannot be drawn is a conflict, which says why. */
export async function pageOfRevision(
  context: Context,
  sql: Sql,
  wanted: { teamId: string; revisionId: string | null; theme?: Theme | undefined },
): Promise<ArtifactPage | undefined> {
  const { teamId, revisionId, theme } = wanted
  if (revisionId === null) return undefined
  const [known] = await sql<{ title: string | null; data_at: Date }>`
    select a.title, r.data_at from artifact_revisions r join artifacts a on a.id = r.artifact_id
    where r.id = ${revisionId} and r.team_id = ${teamId}`
  if (!known) return undefined
  const title = known.title ?? 'Untitled page'
  const key = `${revisionId} ${known.data_at.toISOString()} ${theme ?? ''} ${title}`
  const cache = cacheOf(context)
  const drawn = cache.get(key)
  if (drawn) return { ...drawn, title, at: known.data_at }
  const [row] = await sql<Row>`
    select html, data, data_at from artifact_revisions where id = ${revisionId} and team_id = ${teamId}`
  if (!row) return undefined
  const tried = tryPage(() =>
    drawPage(context, { teamId, html: row.html, data: row.data, title, at: row.data_at }, theme),
  )
  if ('error' in tried) throw new Fault('conflict', tried.error)
  const { page } = tried
  cache.set(key, page)
  return { ...page, title, at: row.data_at }
}
