// Makes a URL that takes a large file for the team, without a credential.
import { newId } from '../../base/ids.ts'
import { operation } from '../../kit/operation.ts'
import { Type } from '../../kit/schema.ts'
import { signedUrlOnce } from '../../kit/signedUrl.ts'
import { checkedName, FileName } from './teamFile.ts'

const validS = 900
const sweptAtOnce = 1000

export const createTeamFileUploadUrl = operation({
  id: 'createTeamFileUploadUrl',
  client: 'teamFiles.createUploadUrl',
  route: 'POST /v2/teams/:teamId/files/upload-urls',
  summary: 'Get a URL to upload a large team file to',
  description:
    'The URL takes one successful PUT of up to 1 GiB, begun within 15 minutes, without a credential. A failed PUT can be tried again. The file ' +
    'has this name when the whole of it has come.',
  scope: 'agents:write',
  body: Type.Object({ name: FileName }),
  status: 200,
  answer: Type.Object({
    upload_url: Type.String({
      examples: ['http://127.0.0.1:4700/team-files/…/upload?name=…&upload=…&team=…&expires=…&signature=…'],
    }),
    name: Type.String({ examples: ['reference/prices.csv'] }),
    expires_in_seconds: Type.Integer({ examples: [validS] }),
  }),
  errors: ['invalid_request'],
  async handler({ team, caller, body, context, sql }) {
    const name = checkedName(body.name)
    const id = newId()
    // the team's old rows go with each new one
    await sql`
      with old as (
        delete from team_file_uploads where id in (
          select id from team_file_uploads
          where team_id = ${team.id} and expires_at < now() - interval '1 day' and (claimed_until is null or claimed_until < now())
          limit ${sweptAtOnce} for update skip locked)
      )
      insert into team_file_uploads (id, team_id, expires_at)
      values (${id}, ${team.id}, now() + make_interval(secs => ${validS}))`
    const upload_url = signedUrlOnce(context, {
      method: 'PUT',
      path: `/team-files/${team.id}/upload`,
      query: { name, member: caller.member_id, upload: id },
      teamId: team.id,
      validS,
    })
    return { upload_url, name, expires_in_seconds: validS }
  },
})
