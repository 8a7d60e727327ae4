// What a member has chosen for the console, wherever they sign in.
import type { Sql } from '../../base/db.ts'
import { named, oneOf, Type, type Static } from '../../kit/schema.ts'

export const Preferences = named(
  'Preferences',
  Type.Object({
    tour: oneOf(['new', 'done', 'skipped'], {
      description: 'Whether they have taken the tour of the console, or did not want it.',
    }),
  }),
)
export type Preferences = Static<typeof Preferences>

export async function readPreferences(sql: Sql, teamId: string, memberId: string): Promise<Preferences | undefined> {
  const [found] = await sql<Preferences>`
    select coalesce(tour, 'new') as tour from members
    where id = ${memberId} and team_id = ${teamId} and removed_at is null`
  return found
}
