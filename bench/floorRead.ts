// The floor of a read by id: a bare Fastify route that answers the bytes of getTeam from one prepared select.
import fastify from 'fastify'
import { Pool, types } from 'pg'
import { serveFloor } from './floor.ts'

types.setTypeParser(types.builtins.INT8, Number)

/** The select of readTeam in features/teams/team.ts, word for word; readById checks that the answers are the same bytes. */
const text = `
    select id, name, created_at, plan,
      (select count(*) from members m where m.team_id = teams.id and m.removed_at is null) as members_count,
      (select count(*) from agents a where a.team_id = teams.id and a.deleted_at is null) as agents_count
    from teams where id = $1`

await serveFloor(({ databaseUrl, connectionsMax }) => {
  const pool = new Pool({ connectionString: databaseUrl, max: connectionsMax })
  const app = fastify({ logger: false })
  app.get<{ Params: { teamId: string } }>('/v2/teams/:teamId', async (request, reply) => {
    const { teamId } = request.params
    const { rows } = await pool.query({ name: 'team', text, values: [teamId] })
    reply.header('content-type', 'application/json; charset=utf-8')
    return JSON.stringify({ team: rows[0], team_id: teamId })
  })
  return app
})
