// Reads one file of the team, with its content and a URL to download it.
import { contentTypeOf } from '../../base/contentType.ts'
import { operation } from '../../kit/operation.ts'
import { Id, Type } from '../../kit/schema.ts'
import { signedUrl } from '../../kit/signedUrl.ts'
import { ContentFields, downloadValidS, readStored } from '../../kit/storedFile.ts'
import { TeamFile } from './teamFile.ts'

export const getTeamFile = operation({
  id: 'getTeamFile',
  client: 'teamFiles.get',
  route: 'GET /v2/teams/:teamId/files/:file_id',
  summary: 'Read a team file',
  description: 'The file with its content, up to 10 MiB, and a URL to download it.',
  scope: 'files:read',
  status: 200,
  answer: Type.Object({ file: TeamFile, file_id: Id, ...ContentFields }),
  errors: ['not_found'],
  async handler({ team, file, sql, context, fail }) {
    const stored = await readStored(context, sql, file)
    if (!stored) return fail('not_found')
    const name = file.name.slice(file.name.lastIndexOf('/') + 1)
    return {
      file,
      file_id: file.id,
      ...stored,
      content_type: contentTypeOf(file.name),
      size_bytes: file.size_bytes,
      download_url: signedUrl(context, {
        method: 'GET',
        path: `/team-files/${file.id}/${file.sha256}/${encodeURIComponent(name)}`,
        teamId: team.id,
        validS: downloadValidS,
      }),
    }
  },
})
