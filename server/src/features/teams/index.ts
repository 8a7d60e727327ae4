// Teams, their members, and the member that a credential belongs to.
import { feature } from '../../kit/feature.ts'
import { createMember } from './createMember.ts'
import { deleteMember } from './deleteMember.ts'
import { getPreferences } from './getPreferences.ts'
import { getProfile } from './getProfile.ts'
import { getTeam } from './getTeam.ts'
import { memberWrites } from './memberWrites.ts'
import { listMembers } from './listMembers.ts'
import { listTeams } from './listTeams.ts'
import { member } from './member.ts'
import { updateMember } from './updateMember.ts'
import { updatePreferences } from './updatePreferences.ts'

export const teams = feature({
  name: 'teams',
  about: 'Teams, their members, and the member that a credential belongs to.',
  operations: [
    listTeams,
    getTeam,
    getProfile,
    getPreferences,
    updatePreferences,
    listMembers,
    createMember,
    updateMember,
    deleteMember,
  ],
  resources: [member],
  memberWrites,
})
