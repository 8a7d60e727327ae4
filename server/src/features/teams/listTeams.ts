// Lists the teams that the credential can see: its own.
import { operation } from '../../kit/operation.ts'
import { Type } from '../../kit/schema.ts'
import { readTeam, Team } from './team.ts'

export const listTeams = operation({
  id: 'listTeams',
  client: 'teams.list',
  route: 'GET /v2/teams',
  summary: 'List teams',
  description: 'A credential belongs to one team, so the list has one entry. Use it to find the team id.',
  scope: 'team:read',
  status: 200,
  answer: Type.Object({ teams: Type.Array(Team) }),
  async handler({ team, sql }) {
    return { teams: [await readTeam(sql, team.id)] }
  },
})
