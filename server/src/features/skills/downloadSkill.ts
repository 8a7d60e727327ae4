// Gives a skill as a zip archive.
import { writeZip } from '../../base/zipFile.ts'
import { operation } from '../../kit/operation.ts'
import { bytesOf } from './changeFiles.ts'
import { filesOfVersion, VersionQuery } from './skill.ts'

export const downloadSkill = operation({
  id: 'downloadSkill',
  client: 'skills.download',
  route: 'GET /v2/skills/:skill_id/download',
  summary: 'Download a skill',
  scope: 'agents:read',
  query: VersionQuery,
  status: 200,
  answerFile: { types: ['application/zip'], description: 'A zip archive that uploadSkill takes.' },
  errors: ['not_found'],
  async handler({ skill, query, sql, context, fail }) {
    const files = await filesOfVersion(sql, skill, query.version ?? skill.version)
    if (files.length === 0) return fail('not_found', 'This skill has no such version.')
    return { bytes: writeZip(await bytesOf(context, sql, files)), type: 'application/zip', name: `${skill.name}.zip` }
  },
})
