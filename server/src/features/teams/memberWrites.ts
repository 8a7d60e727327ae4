// Makes and changes members for a sign-in with OpenID Connect, and notes addresses that are shown to be theirs.
import { newId } from '../../base/ids.ts'
import type { MemberWrites } from '../../kit/feature.ts'
import { isOnlyAdmin } from './member.ts'

export const memberWrites: MemberWrites = {
  async create({ sql, teamId, name, email, role }) {
    const [made] = await sql<{ id: string }>`
      insert into members (id, team_id, name, email, role) values (${newId()}, ${teamId}, ${name}, ${email}, ${role})
      on conflict (team_id, lower(email)) where removed_at is null do nothing returning id`
    return made?.id
  },
  async changeRole({ sql, teamId, memberId, role }) {
    if (role !== 'admin' && (await isOnlyAdmin(sql, teamId, memberId))) return
    await sql`
      update members set role = ${role}, updated_at = now()
      where id = ${memberId} and team_id = ${teamId} and removed_at is null and role <> ${role}`
  },
  async confirmEmail({ sql, teamId, memberId, email }) {
    const confirmed = await sql`
      update members set verified_email = email
      where id = ${memberId} and team_id = ${teamId} and removed_at is null and lower(email) = lower(${email}) returning id`
    return confirmed.length > 0
  },
}
