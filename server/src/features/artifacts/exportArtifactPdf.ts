// The current page of an artifact as a file: PDF.
import { BrowserGone, CannotPrint } from '../../drivers/browser/browser.ts'
import { operation } from '../../kit/operation.ts'
import { Type } from '../../kit/schema.ts'
import { currentPage } from './currentPage.ts'
import { printFor } from './printing.ts'
import { themeField } from './renderPage.ts'

/** How long a caller waits for a PDF, including its turn. */
const printMaxMs = 60_000

export const exportArtifactPdf = operation({
  id: 'exportArtifactPdf',
  client: 'artifacts.exportPdf',
  route: 'GET /v2/artifacts/:artifactId/export/pdf',
  summary: 'Export an artifact as PDF',
  description:
    'The page on A4, with its title and time. It is light unless `theme` is `dark`. It needs the browser of the service.',
  scope: 'artifacts:read',
  query: Type.Object(themeField),
  status: 200,
  answerFile: { types: ['application/pdf'] },
  errors: ['not_found', 'conflict'],
  async handler({ artifact, query, context, sql, fail }) {
    const page = await currentPage(context, sql, artifact, query.theme ?? 'light', fail)
    const signal = AbortSignal.timeout(printMaxMs)
    try {
      const print = { title: page.title, at: page.at, signal }
      const bytes = await printFor(context, artifact.team_id, (printer) => printer.pdf(page.html, print), signal)
      return { bytes, type: 'application/pdf', name: `${page.title}.pdf` }
    } catch (error) {
      if (error instanceof CannotPrint || error instanceof BrowserGone) return fail('conflict', error.message)
      throw error
    }
  },
})
