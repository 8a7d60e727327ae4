// Reads what the current page of an artifact is made of: its steps, its template, and how old its data is.
import { operation } from '../../kit/operation.ts'
import { Id, nullable, Time, Type } from '../../kit/schema.ts'

interface Source {
  revision_id: string
  version: number
  procedure: string
  html: string
  data_at: Date
}

export const getArtifactSource = operation({
  id: 'getArtifactSource',
  client: 'artifacts.source',
  route: 'GET /v2/artifacts/:artifactId/source',
  summary: 'Get the source of an artifact',
  description:
    'The steps and the template of the current page. `data_at`: when its steps last gave data. `source` is null while there is no page.',
  scope: 'artifacts:read',
  status: 200,
  answer: Type.Object({
    source: nullable(
      Type.Object({
        revision_id: Id,
        version: Type.Integer({ minimum: 1 }),
        procedure: Type.String({ description: 'The steps that fetch the data, as a runbook in Markdown.' }),
        html: Type.String({ description: 'The template that shows the data.' }),
        data_at: Time,
      }),
    ),
    artifact_id: Id,
  }),
  async handler({ team, artifact, sql }) {
    const [source] = await sql<Source>`
      select id as revision_id, version, procedure, html, data_at from artifact_revisions
      where id = ${artifact.current_revision_id} and artifact_id = ${artifact.id} and team_id = ${team.id}`
    return { source: source ?? null, artifact_id: artifact.id }
  },
})
