// Reads what the caller has chosen for the console.
import { operation } from '../../kit/operation.ts'
import { Type } from '../../kit/schema.ts'
import { Preferences, readPreferences } from './preferences.ts'

export const getPreferences = operation({
  id: 'getPreferences',
  client: 'teams.preferences',
  route: 'GET /v2/profile/preferences',
  summary: 'Get your preferences',
  description: 'What you have chosen for the console, wherever you sign in.',
  scope: 'team:read',
  status: 200,
  answer: Type.Object({ preferences: Preferences }),
  errors: ['unauthorized'],
  tool: false,
  async handler({ team, caller, sql, fail }) {
    const preferences = await readPreferences(sql, team.id, caller.member_id)
    // the member was removed while the credential was still cached
    if (!preferences) return fail('unauthorized')
    return { preferences }
  },
})
