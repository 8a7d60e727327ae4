// The current page of an artifact as a file: Markdown.
import { operation } from '../../kit/operation.ts'
import { Type } from '../../kit/schema.ts'
import { currentPage } from './currentPage.ts'
import { themeField } from './renderPage.ts'

export const exportArtifactMd = operation({
  id: 'exportArtifactMd',
  client: 'artifacts.exportMd',
  route: 'GET /v2/artifacts/:artifactId/export/md',
  summary: 'Export an artifact as Markdown',
  description: 'The page as Markdown: its texts, and its charts and tables as tables.',
  scope: 'artifacts:read',
  query: Type.Object(themeField),
  status: 200,
  answerFile: { types: ['text/markdown'] },
  errors: ['not_found', 'conflict'],
  async handler({ artifact, query, context, sql, fail }) {
    const page = await currentPage(context, sql, artifact, query.theme, fail)
    return { bytes: page.markdown, type: 'text/markdown', name: `${page.title}.md` }
  },
})
