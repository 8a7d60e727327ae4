// Reads one file of a skill.
import { operation } from '../../kit/operation.ts'
import { nullable, oneOf, Type } from '../../kit/schema.ts'
import { readStored } from '../../kit/storedFile.ts'
import { noSuchFile } from './changeFiles.ts'
import { filesOfVersion, SkillFile, VersionQuery } from './skill.ts'

export const getSkillFile = operation({
  id: 'getSkillFile',
  client: 'skills.getFile',
  route: 'GET /v2/skills/:skill_id/files/:path*',
  summary: 'Read a file of a skill',
  scope: 'agents:read',
  query: VersionQuery,
  status: 200,
  answer: Type.Object({
    ...SkillFile.properties,
    content: nullable(Type.String({ description: 'Null for a file of more than 10 MiB: download the skill.' })),
    encoding: oneOf(['utf-8', 'base64'], { description: '`utf-8` where the content is text, else `base64`.' }),
  }),
  errors: ['not_found'],
  async handler({ skill, params, query, sql, context, fail }) {
    const files = await filesOfVersion(sql, skill, query.version ?? skill.version)
    const file = files.find(({ path }) => path === params.path.normalize('NFC'))
    const stored = file && (await readStored(context, sql, file))
    return file && stored ? { ...file, ...stored } : fail('not_found', noSuchFile)
  },
})
