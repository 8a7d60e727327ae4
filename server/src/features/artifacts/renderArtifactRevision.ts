// The page of one revision, for a sandboxed frame.
import { pageHeaders } from '../../base/page/pageHeaders.ts'
import { operation } from '../../kit/operation.ts'
import { Type } from '../../kit/schema.ts'
import { pageOfRevision, themeField } from './renderPage.ts'

export const renderArtifactRevision = operation({
  id: 'renderArtifactRevision',
  client: 'artifacts.renderRevision',
  route: 'GET /v2/artifacts/:artifactId/revisions/:revisionId/render',
  summary: 'Render a revision of an artifact',
  description: 'As renderArtifact, with the data that the revision last had.',
  scope: 'artifacts:read',
  query: Type.Object(themeField),
  status: 200,
  answerFile: { types: ['text/html'] },
  errors: ['not_found', 'conflict'],
  async handler({ team, revision, query, context, sql, fail }) {
    const page = await pageOfRevision(context, sql, { teamId: team.id, revisionId: revision.id, theme: query.theme })
    if (!page) return fail('not_found')
    return { bytes: page.html, type: 'text/html', headers: pageHeaders() }
  },
})
