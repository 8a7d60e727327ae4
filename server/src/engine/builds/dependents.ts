// The agents whose live builds name a record: what a change or the deletion of it reaches.
import { one, part, type Sql } from '../../base/db.ts'
import type { GivenKind } from '../../kit/given.ts'
import { Id, Type, type Static } from '../../kit/schema.ts'

const shownMax = 100

export const Dependents = Type.Object({
  agents: Type.Array(Type.Object({ id: Id, name: Type.String(), build_id: Id }), {
    description: `Agents whose live build names it, by name; at most ${shownMax}.`,
  }),
  agents_total: Type.Integer({ minimum: 0 }),
})

/** `words`: by which builds may name it, its id and its name. */
export async function readDependents(
  sql: Sql,
  teamId: string,
  kind: GivenKind,
  words: string[],
): Promise<Static<typeof Dependents>> {
  const agents = part`
    select a.id, a.name, b.id as build_id from agents a
    join builds b on b.agent_id = a.id and b.status = 'live' and b.team_id = ${teamId}
    where a.team_id = ${teamId} and a.deleted_at is null
      and b.config #> array['data', ${kind}] ?| ${words}::text[]`
  const found = await one(sql<{ dependents: Static<typeof Dependents> }>`
    with named as materialized (${agents})
    select json_build_object(
      'agents', (select coalesce(json_agg(x), '[]') from (select * from named order by name, id limit ${shownMax}) x),
      'agents_total', (select count(*) from named)) as dependents`)
  return found.dependents
}
