// The current page of an artifact, for a sandboxed frame.
import { pageHeaders } from '../../base/page/pageHeaders.ts'
import { operation } from '../../kit/operation.ts'
import { Type } from '../../kit/schema.ts'
import { currentPage } from './currentPage.ts'
import { themeField } from './renderPage.ts'

export const renderArtifact = operation({
  id: 'renderArtifact',
  client: 'artifacts.render',
  route: 'GET /v2/artifacts/:artifactId/render',
  summary: 'Render an artifact',
  description:
    'The page as HTML. It loads nothing, and its only script is one of the service that sorts tables. Its Content-Security-Policy puts it into a sandbox; show it in a sandboxed frame.',
  scope: 'artifacts:read',
  query: Type.Object(themeField),
  status: 200,
  answerFile: { types: ['text/html'] },
  errors: ['not_found', 'conflict'],
  async handler({ artifact, query, context, sql, fail }) {
    const page = await currentPage(context, sql, artifact, query.theme, fail)
    return { bytes: page.html, type: 'text/html', headers: pageHeaders() }
  },
})
