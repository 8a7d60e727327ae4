// Reads one skill with the list of its files.
import { operation } from '../../kit/operation.ts'
import { Id, Type } from '../../kit/schema.ts'
import { filesOfVersion, Skill, SkillFile, VersionQuery } from './skill.ts'

export const getSkill = operation({
  id: 'getSkill',
  client: 'skills.get',
  route: 'GET /v2/skills/:skill_id',
  summary: 'Get a skill',
  scope: 'agents:read',
  query: VersionQuery,
  status: 200,
  answer: Type.Object({ skill: Skill, skill_id: Id, files: Type.Array(SkillFile) }),
  errors: ['not_found'],
  async handler({ skill, query, sql, fail }) {
    const files = await filesOfVersion(sql, skill, query.version ?? skill.version)
    if (files.length === 0) return fail('not_found', 'This skill has no such version.')
    return { skill, skill_id: skill.id, files }
  },
})
