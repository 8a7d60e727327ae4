// Makes a skill of one file: its SKILL.md.
import { operation } from '../../kit/operation.ts'
import { Type, wrapped } from '../../kit/schema.ts'
import { headOf, saveByName, storeFiles } from './saveVersion.ts'
import { Skill } from './skill.ts'

const example = `---
name: monthly-report
description: Writes the monthly report from the figures of the queue.
---
1. Read the figures.
`

export const createSkill = operation({
  id: 'createSkill',
  client: 'skills.create',
  route: 'POST /v2/teams/:teamId/skills',
  summary: 'Make a skill',
  description:
    'From the text of its SKILL.md, which begins with its name and description. If the team has a skill of this name, it gets another ' +
    'version. Runs of builds that name it in `data.skills`, by name, by id or with a version (`monthly-report@3`), see its name and ' +
    'description, read the rest with the tool `skill_read`, and find its files in /skills of their sandbox.',
  scope: 'agents:write',
  body: Type.Object(
    { content: Type.String({ minLength: 1, maxLength: 256 * 1024, description: 'The text of SKILL.md.' }) },
    { examples: [{ content: example }] },
  ),
  status: 201,
  answer: wrapped('skill', 'skill_id', Skill),
  errors: ['conflict', 'invalid_request', 'entitlement_exceeded'],
  async handler({ team, caller, body, sql, context }) {
    const file = { path: 'SKILL.md', bytes: Buffer.from(body.content), is_executable: false }
    const head = headOf([file])
    const files = await storeFiles(context, sql, [file])
    const skill = await saveByName(context, sql, { teamId: team.id, memberId: caller.member_id, files, head })
    return { skill, skill_id: skill.id }
  },
})
