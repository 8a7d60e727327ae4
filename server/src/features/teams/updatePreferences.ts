// Changes what the caller has chosen for the console.
import { operation } from '../../kit/operation.ts'
import { oneOf, Type } from '../../kit/schema.ts'
import { Preferences, readPreferences } from './preferences.ts'

export const updatePreferences = operation({
  id: 'updatePreferences',
  client: 'teams.updatePreferences',
  route: 'PATCH /v2/profile/preferences',
  summary: 'Change your preferences',
  description: 'Only the given fields change.',
  scope: 'team:read',
  body: Type.Object(
    {
      tour: Type.Optional(
        oneOf(['new', 'done', 'skipped'], { description: '`new`: the console offers the tour again.' }),
      ),
    },
    { examples: [{ tour: 'skipped' }] },
  ),
  status: 200,
  answer: Type.Object({ preferences: Preferences }),
  errors: ['unauthorized'],
  tool: false,
  async handler({ team, caller, body, sql, fail }) {
    if (body.tour !== undefined) {
      await sql`
        update members set tour = ${body.tour === 'new' ? null : body.tour}
        where id = ${caller.member_id} and team_id = ${team.id} and removed_at is null`
    }
    const preferences = await readPreferences(sql, team.id, caller.member_id)
    if (!preferences) return fail('unauthorized')
    return { preferences }
  },
})
