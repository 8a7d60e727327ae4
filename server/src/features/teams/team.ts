// A team: the owner of everything; each credential belongs to exactly one.
import { one, type Sql } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { Id, named, Time, Type, type Static } from '../../kit/schema.ts'

export const Team = named(
  'Team',
  Type.Object({
    id: Id,
    name: Type.String(),
    created_at: Time,
    plan: Type.String({ examples: ['self_hosted'] }),
    members_count: Type.Integer({ minimum: 0 }),
    agents_count: Type.Integer({ minimum: 0 }),
  }),
)

export type Team = Static<typeof Team>

export async function readTeam(sql: Sql, id: string): Promise<Team> {
  const team = await one(sql<Team>`
    select id, name, created_at, plan,
      (select count(*) from members m where m.team_id = teams.id and m.removed_at is null) as members_count,
      (select count(*) from agents a where a.team_id = teams.id and a.deleted_at is null and not a.is_hidden) as agents_count
    from teams where id = ${id}`)
  return team
}

/** A team with its first member, who administers it. */
export async function createTeam(
  sql: Sql,
  wanted: { name: string; memberName: string },
): Promise<{ teamId: string; memberId: string }> {
  const teamId = newId()
  const memberId = newId()
  await sql`insert into teams (id, name) values (${teamId}, ${wanted.name})`
  await sql`
    insert into members (id, team_id, name, role) values (${memberId}, ${teamId}, ${wanted.memberName}, 'admin')`
  return { teamId, memberId }
}
