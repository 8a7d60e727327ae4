// Stores a small file for the team: a new one, or in place of the one with this name.
import { one } from '../../base/db.ts'
import { blobsFor } from '../../kit/blobs.ts'
import { operation } from '../../kit/operation.ts'
import { oneOf, Type, wrapped } from '../../kit/schema.ts'
import { storeFile } from './storeFile.ts'
import { checkedName, FileName, TeamFile } from './teamFile.ts'

const contentMax = 1024 * 1024

export const createTeamFile = operation({
  id: 'createTeamFile',
  client: 'teamFiles.create',
  route: 'POST /v2/teams/:teamId/files',
  summary: 'Make a team file',
  description:
    'A new file, or in place of the one with this name. For larger files use an upload URL. Runs of builds that name the file in ' +
    '`data.files`, by name or id, find it read-only in /files of their sandbox.',
  scope: 'agents:write',
  body: Type.Object(
    {
      name: FileName,
      content: Type.String({ maxLength: contentMax, description: 'Text, or bytes in base64.' }),
      encoding: Type.Optional(
        oneOf(['utf-8', 'base64'], { description: 'How the content is given. Absent: as text.' }),
      ),
    },
    { examples: [{ name: 'reference/prices.csv', content: 'item,price\npaper,4.20\n' }] },
  ),
  status: 201,
  answer: wrapped('file', 'file_id', TeamFile),
  errors: ['entitlement_exceeded', 'conflict', 'invalid_request'],
  async prepare({ body, sql, context }) {
    const bytes = Buffer.from(body.content, body.encoding ?? 'utf-8')
    await blobsFor(context, sql).bring([bytes])
    return bytes
  },
  async handler({ team, caller, body, prepared: bytes, sql, context }) {
    const name = checkedName(body.name)
    const sha256 = await one(blobsFor(context, sql).put([bytes]))
    const stored = { name, sha256, size_bytes: bytes.length, memberId: caller.member_id }
    const file = await storeFile(context, sql, team.id, stored)
    return { file, file_id: file.id }
  },
})
