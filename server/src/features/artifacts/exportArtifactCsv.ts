// The current page of an artifact as a file: CSV.
import { csvOf } from '../../base/page/csv.ts'
import { operation } from '../../kit/operation.ts'
import { Type } from '../../kit/schema.ts'
import { currentPage } from './currentPage.ts'
import { themeField } from './renderPage.ts'

export const exportArtifactCsv = operation({
  id: 'exportArtifactCsv',
  client: 'artifacts.exportCsv',
  route: 'GET /v2/artifacts/:artifactId/export/csv',
  summary: 'Export an artifact as CSV',
  description: 'The tables of the page and the data of its charts, one below the other.',
  scope: 'artifacts:read',
  query: Type.Object(themeField),
  status: 200,
  answerFile: { types: ['text/csv'] },
  errors: ['not_found', 'conflict'],
  async handler({ artifact, query, context, sql, fail }) {
    const page = await currentPage(context, sql, artifact, query.theme, fail)
    return { bytes: csvOf(page.tables), type: 'text/csv', name: `${page.title}.csv` }
  },
})
