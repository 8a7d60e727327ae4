// Deletes a skill, and tells which agents used it.
import { Dependents, readDependents } from '../../engine/builds/dependents.ts'
import { operation } from '../../kit/operation.ts'
import { Type } from '../../kit/schema.ts'
import { wordsFor } from './skill.ts'

export const deleteSkill = operation({
  id: 'deleteSkill',
  client: 'skills.delete',
  route: 'DELETE /v2/skills/:skill_id',
  summary: 'Delete a skill',
  description:
    'With all its versions. The answer lists the agents that used it. listSkillDependents shows them beforehand.',
  scope: 'agents:write',
  status: 200,
  answer: Type.Object({ success: Type.Literal(true), ...Dependents.properties }),
  errors: ['not_found'],
  async handler({ team, skill, sql, fail }) {
    const dependents = await readDependents(sql, team.id, 'skills', await wordsFor(sql, skill))
    const gone = await sql`delete from skills where id = ${skill.id} and team_id = ${team.id} returning 1`
    if (gone.length === 0) return fail('not_found')
    return { success: true as const, ...dependents }
  },
})
