// Makes a URL that takes a large file for the team, without a credential.
import { operation } from '../../kit/operation.ts'
import { Type } from '../../kit/schema.ts'
import { signedUrlOnce } from '../../kit/signedUrl.ts'
import { checkedName, FileName } from './teamFile.ts'

const validS = 900

export const createTeamFileUploadUrl = operation({
  id: 'createTeamFileUploadUrl',
  client: 'teamFiles.createUploadUrl',
  route: 'POST /v2/teams/:teamId/files/upload-urls',
  summary: 'Get a URL to upload a large team file to',
  description:
    'The URL takes a PUT of up to 1 GiB, begun within 15 minutes, without a credential. The file has this name when the whole of it has come.',
  scope: 'agents:write',
  body: Type.Object({ name: FileName }),
  status: 200,
  answer: Type.Object({
    upload_url: Type.String({
      examples: ['http://127.0.0.1:4700/team-files/…/upload?name=…&team=…&expires=…&signature=…'],
    }),
    name: Type.String({ examples: ['reference/prices.csv'] }),
    expires_in_seconds: Type.Integer({ examples: [validS] }),
  }),
  errors: ['invalid_request'],
  async handler({ team, caller, body, context }) {
    const name = checkedName(body.name)
    const upload_url = signedUrlOnce(context, {
      method: 'PUT',
      path: `/team-files/${team.id}/upload`,
      query: { name, member: caller.member_id },
      teamId: team.id,
      validS,
    })
    return { upload_url, name, expires_in_seconds: validS }
  },
})
