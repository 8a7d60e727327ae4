// Reads the credential's team.
import { operation } from '../../kit/operation.ts'
import { wrapped } from '../../kit/schema.ts'
import { readTeam, Team } from './team.ts'

export const getTeam = operation({
  id: 'getTeam',
  client: 'teams.get',
  route: 'GET /v2/teams/:teamId',
  summary: 'Get a team',
  scope: 'team:read',
  status: 200,
  answer: wrapped('team', 'team_id', Team),
  async handler({ team, sql }) {
    return { team: await readTeam(sql, team.id), team_id: team.id }
  },
})
