// The current page of an artifact as a file: HTML.
import { operation } from '../../kit/operation.ts'
import { Type } from '../../kit/schema.ts'
import { currentPage } from './currentPage.ts'
import { themeField } from './renderPage.ts'

export const exportArtifactHtml = operation({
  id: 'exportArtifactHtml',
  client: 'artifacts.exportHtml',
  route: 'GET /v2/artifacts/:artifactId/export/html',
  summary: 'Export an artifact as HTML',
  description: 'The page as one file that needs nothing else.',
  scope: 'artifacts:read',
  query: Type.Object(themeField),
  status: 200,
  answerFile: { types: ['text/html'] },
  errors: ['not_found', 'conflict'],
  async handler({ artifact, query, context, sql, fail }) {
    const page = await currentPage(context, sql, artifact, query.theme, fail)
    return { bytes: page.html, type: 'text/html', name: `${page.title}.html` }
  },
})
