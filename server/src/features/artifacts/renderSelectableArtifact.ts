// The current page of an artifact for the console, where a person selects an element of it and asks about that.
import { pageHeaders, selectablePolicy } from '../../base/page/pageHeaders.ts'
import { selectable } from '../../base/page/selectable.ts'
import { operation } from '../../kit/operation.ts'
import { Type } from '../../kit/schema.ts'
import { currentPage } from './currentPage.ts'
import { themeField } from './renderPage.ts'

export const renderSelectableArtifact = operation({
  id: 'renderSelectableArtifact',
  client: 'artifacts.renderSelectable',
  route: 'GET /v2/artifacts/:artifactId/render/selectable',
  summary: 'Render an artifact to select from',
  description:
    'As renderArtifact, with one more script of the service. It waits for the message `{"runyard": "artifact", "select": true}` of the window ' +
    'around the page, which must be of the same origin, and posts the element that a person then selects: ' +
    '`{"runyard": "artifact", "selected": …}`, in the form that sendArtifactMessage takes as `selected_element`.',
  scope: 'artifacts:read',
  query: Type.Object(themeField),
  status: 200,
  answerFile: { types: ['text/html'] },
  errors: ['not_found', 'conflict'],
  async handler({ artifact, query, context, sql, fail }) {
    const page = await currentPage(context, sql, artifact, query.theme, fail)
    return { bytes: selectable(page.html), type: 'text/html', headers: pageHeaders(selectablePolicy) }
  },
})
