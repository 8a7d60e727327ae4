// Lists a team's skills, newest first.
import { part } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { pageOf, paging, readPage } from '../../kit/paging.ts'
import { Type } from '../../kit/schema.ts'
import { hasWords, searchField } from '../../kit/search.ts'
import { Skill, skillColumns } from './skill.ts'

export const listSkills = operation({
  id: 'listSkills',
  client: 'skills.list',
  route: 'GET /v2/teams/:teamId/skills',
  summary: 'List skills',
  scope: 'agents:read',
  query: Type.Object({ search: Type.Optional(searchField('name and description')), ...paging(100, 100) }),
  status: 200,
  answer: pageOf('skills', Skill),
  async handler({ team, query, sql }) {
    const from = part`skills s where s.team_id = ${team.id}
      and ${hasWords(part`concat_ws(' ', s.name, s.description)`, query.search)}`
    const list = { columns: skillColumns, from, order: part`s.created_at desc, s.id desc` }
    const { rows, ...page } = await readPage<Skill>(sql, list, query)
    return { skills: rows, ...page }
  },
})
