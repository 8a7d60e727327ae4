// Lists the versions of a skill, newest first.
import { part } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { pageOf, paging, readPage } from '../../kit/paging.ts'
import { Id, named, nullable, Time, Type, type Static } from '../../kit/schema.ts'

const SkillVersion = named(
  'SkillVersion',
  Type.Object({
    version: Type.Integer({ minimum: 1 }),
    user_id: nullable(Id),
    description: Type.String(),
    files: Type.Integer({ minimum: 0, description: 'How many files it has.' }),
    size_bytes: Type.Integer({ minimum: 0 }),
    created_at: Time,
  }),
)

export const listSkillVersions = operation({
  id: 'listSkillVersions',
  client: 'skills.listVersions',
  route: 'GET /v2/skills/:skill_id/versions',
  summary: 'List versions of a skill',
  description: 'The newest 50 are kept.',
  scope: 'agents:read',
  query: Type.Object(paging(50, 50)),
  status: 200,
  answer: pageOf('versions', SkillVersion),
  async handler({ team, skill, query, sql }) {
    const from = part`skill_versions where skill_id = ${skill.id} and team_id = ${team.id}`
    const columns = part`version, user_id, description, files, size_bytes, created_at`
    const list = { columns, from, order: part`version desc` }
    const { rows, ...page } = await readPage<Static<typeof SkillVersion>>(sql, list, query)
    return { versions: rows, ...page }
  },
})
