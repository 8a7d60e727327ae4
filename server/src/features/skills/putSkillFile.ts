// Writes one file of a skill, which makes its next version.
import { plainPath } from '../../base/plainPath.ts'
import { blobsFor } from '../../kit/blobs.ts'
import { operation } from '../../kit/operation.ts'
import { oneOf, Type, wrapped } from '../../kit/schema.ts'
import { changeFile } from './changeFiles.ts'
import { Skill } from './skill.ts'

const contentMax = 1024 * 1024

export const putSkillFile = operation({
  id: 'putSkillFile',
  client: 'skills.putFile',
  route: 'PUT /v2/skills/:skill_id/files/:path*',
  summary: 'Write a file of a skill',
  description:
    'A new file or in place of the old one, up to 1 MiB; the skill has its next version then. With SKILL.md its name and description ' +
    'change too. A file that begins with `#!` can be run.',
  scope: 'agents:write',
  body: Type.Object(
    {
      content: Type.String({ maxLength: contentMax, description: 'Text, or bytes in base64.' }),
      encoding: Type.Optional(
        oneOf(['utf-8', 'base64'], { description: 'How the content is given. Absent: as text.' }),
      ),
      is_executable: Type.Optional(Type.Boolean({ description: 'Whether commands may run it.' })),
    },
    { examples: [{ content: '#!/bin/bash\necho done\n', is_executable: true }] },
  ),
  status: 200,
  answer: wrapped('skill', 'skill_id', Skill),
  errors: ['conflict', 'duplicate_name', 'invalid_request', 'not_found', 'entitlement_exceeded'],
  async prepare({ params, body, sql, context, fail }) {
    const checked = plainPath(params.path)
    if ('problem' in checked) return fail('invalid_request', checked.problem)
    const { content, encoding = 'utf-8', is_executable = false } = body
    const bytes = Buffer.from(content, encoding)
    await blobsFor(context, sql).bring([bytes])
    return { path: checked.path, file: { bytes, is_executable } }
  },
  async handler({ caller, skill, prepared, sql, context }) {
    const changed = await changeFile(context, sql, skill, { ...prepared, memberId: caller.member_id })
    return { skill: changed, skill_id: skill.id }
  },
})
