// The current page of an artifact as a file: XLSX.
import { operation } from '../../kit/operation.ts'
import { Type } from '../../kit/schema.ts'
import { currentPage } from './currentPage.ts'
import { themeField } from './renderPage.ts'
import { spreadsheetFor } from './spreadsheets.ts'

const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

export const exportArtifactXlsx = operation({
  id: 'exportArtifactXlsx',
  client: 'artifacts.exportXlsx',
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
    return { bytes: await spreadsheetFor(context, artifact.team_id, page.tables), type, name: `${page.title}.xlsx` }
  },
})
