// The current page of an artifact as a file: XLSX.
import { xlsxOf } from '../../base/page/xlsx.ts'
import { operation } from '../../kit/operation.ts'
import { Type } from '../../kit/schema.ts'
import { currentPage } from './currentPage.ts'
import { themeField } from './renderPage.ts'

const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

export const exportArtifactXlsx = operation({
  id: 'exportArtifactXlsx',
  route: 'GET /v2/artifacts/:artifactId/export/xlsx',
  summary: 'Export an artifact as XLSX',
  description: 'The tables of the page and the data of its charts, each on a sheet of its own.',
  scope: 'artifacts:read',
  query: Type.Object(themeField),
  status: 200,
  answerFile: { types: [type] },
  errors: ['not_found', 'conflict'],
  async handler({ artifact, query, context, sql, fail }) {
    const page = await currentPage(context, sql, artifact, query.theme, fail)
    return { bytes: await xlsxOf(page.tables), type, name: `${page.title}.xlsx` }
  },
})
