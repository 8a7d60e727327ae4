// Deletes one file of a skill, which makes its next version.
import { operation } from '../../kit/operation.ts'
import { wrapped } from '../../kit/schema.ts'
import { changeFile } from './changeFiles.ts'
import { Skill } from './skill.ts'

export const deleteSkillFile = operation({
  id: 'deleteSkillFile',
  client: 'skills.deleteFile',
  route: 'DELETE /v2/skills/:skill_id/files/:path*',
  summary: 'Delete a file of a skill',
  description: 'The skill has its next version then; older ones keep the file.',
  scope: 'agents:write',
  status: 200,
  answer: wrapped('skill', 'skill_id', Skill),
  errors: ['conflict', 'not_found', 'entitlement_exceeded'],
  async handler({ caller, skill, params, sql, context }) {
    const path = params.path.normalize('NFC')
    const changed = await changeFile(context, sql, skill, { path, file: undefined, memberId: caller.member_id })
    return { skill: changed, skill_id: skill.id }
  },
})
