// Makes a URL that takes one large file for a sandbox, without a credential.
import { newId } from '../../../base/ids.ts'
import { operation } from '../../../kit/operation.ts'
import { Type } from '../../../kit/schema.ts'
import { signedUrlOnce } from '../../../kit/signedUrl.ts'
import { askedPathBelow, examplePath } from './requestPath.ts'

const validS = 900
const uploadBytesMax = 1024 ** 3

export const createUploadUrl = operation({
  id: 'createUploadUrl',
  client: 'sandboxes.createUploadUrl',
  route: 'POST /v2/sandboxes/:sandbox_id/upload-urls',
  summary: 'Get a URL to upload a large file to',
  description:
    'The URL takes one successful PUT of up to 1 GiB, begun within 15 minutes, without a credential. A failed PUT can be tried again.',
  scope: 'sandboxes:write',
  body: Type.Object({
    path: Type.String({ description: 'Where the file will be in the workspace.', examples: [examplePath] }),
  }),
  status: 200,
  answer: Type.Object({
    upload_url: Type.String({
      examples: ['http://127.0.0.1:4700/files/…/uploads/…?path=…&team=…&expires=…&signature=…'],
    }),
    path: Type.String({ examples: [`/workspace/${examplePath}`] }),
    expires_in_seconds: Type.Integer({ examples: [validS] }),
  }),
  async handler({ team, sandbox, body, sql, context }) {
    const path = askedPathBelow(body.path)
    const { sandbox_id } = sandbox
    const id = newId()
    await sql`
      insert into file_uploads (id, team_id, sandbox_id, path, expires_at)
      values (${id}, ${team.id}, ${sandbox_id}, ${path}, now() + make_interval(secs => ${validS}))`
    const upload_url = signedUrlOnce(context, {
      method: 'PUT',
      path: `/files/${sandbox_id}/uploads/${id}`,
      query: { path, bytes_max: String(uploadBytesMax) },
      teamId: team.id,
      validS,
    })
    return { upload_url, path, expires_in_seconds: validS }
  },
})
