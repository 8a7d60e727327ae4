// The tool by which a model looks at the page as it is now: a picture of it, drawn by the browser.
import { BrowserGone, CannotPrint } from '../../drivers/browser/browser.ts'
import { oneOf, Type } from '../../kit/schema.ts'
import { showBytes } from '../../kit/shownFile.ts'
import { outsideTool, type Outcome } from '../../kit/tool.ts'
import { printFor } from './printing.ts'
import { drawPage } from './renderPage.ts'
import { artifactOfRun, notWorking, pageNow } from './workingOn.ts'

/** The part of the page that the picture shows: enough for its layout, and small enough for a model. */
const size = { width: 1000, height: 1400 }
const timeoutMs = 60_000
/** How many characters of the page's text come with the picture, for models that cannot see. */
const textMax = 8000

export const artifactLook = outsideTool({
  name: 'artifact_look',
  description: 'Look at the page of this artifact as it is now: a picture of it, and its text.',
  input: Type.Object({ theme: Type.Optional(oneOf(['light', 'dark'])) }),
  onDoubt: 'retry',
  leaves: 'never',
  timeoutMs,
  async execute({ run, step, input }, { context, signal }): Promise<Outcome> {
    const { sql } = context.db
    const artifact = await artifactOfRun(sql, run)
    if (!artifact) return { error: notWorking }
    const page = await pageNow(sql, artifact.id)
    if (!page) return { error: 'There is no page yet. Save one with artifact_save.' }
    const theme = input.theme ?? 'light'
    const drawn = drawPage(context, { ...page, teamId: run.team_id, title: artifact.title ?? 'Untitled page' }, theme)
    const text = drawn.markdown.slice(0, textMax).toWellFormed()
    try {
      const wanted = { ...size, theme, signal }
      const { picture: shown } = await printFor(
        context,
        run.team_id,
        (printer) => printer.picture(drawn.html, wanted),
        signal,
      )
      const seen = showBytes('the page', shown.bytes)
      if ('problem' in seen) return { result: { text, no_picture: seen.problem } }
      // the bytes are a file of the run, which goes with it
      const writes = [{ path: `.results/step-${step}.jpg`, bytes: shown.bytes }]
      return { result: { text }, writes, shows: [{ ...seen.shown, is_aside: true }] }
    } catch (error) {
      if (error instanceof CannotPrint || error instanceof BrowserGone)
        return { result: { text, no_picture: error.message } }
      throw error
    }
  },
})
