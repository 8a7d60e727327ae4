// Lists the agents that use a skill.
import { Dependents, readDependents } from '../../engine/builds/dependents.ts'
import { operation } from '../../kit/operation.ts'
import { wordsFor } from './skill.ts'

export const listSkillDependents = operation({
  id: 'listSkillDependents',
  client: 'skills.listDependents',
  route: 'GET /v2/skills/:skill_id/dependents',
  summary: 'List what depends on a skill',
  scope: 'agents:read',
  status: 200,
  answer: Dependents,
  handler: async ({ team, skill, sql }) => readDependents(sql, team.id, 'skills', await wordsFor(sql, skill)),
})
