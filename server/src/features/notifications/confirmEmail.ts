// Confirms the caller's address with the token of a confirmation mail.
import { operation } from '../../kit/operation.ts'
import { memberWritesOf } from '../../kit/registry.ts'
import { Type } from '../../kit/schema.ts'
import { mailOfToken } from './confirmationToken.ts'
import { Mailbox, readMailbox } from './recipient.ts'

export const confirmEmail = operation({
  id: 'confirmEmail',
  client: 'notifications.confirm',
  route: 'POST /v2/profile/email/confirm',
  summary: 'Confirm your e-mail address',
  description: 'Takes the token of a confirmation mail, from the same member and while the address is still theirs.',
  scope: 'team:read',
  body: Type.Object(
    { token: Type.String({ minLength: 1, maxLength: 200 }) },
    { examples: [{ token: 'from-the-mail' }] },
  ),
  status: 200,
  answer: Type.Object({ mailbox: Mailbox }),
  errors: ['conflict', 'invalid_request'],
  tool: false,
  async handler({ team, caller, body, context, sql, fail }) {
    const mailId = mailOfToken(context, body.token)
    if (mailId === undefined)
      return fail('invalid_request', 'This is not a token of a confirmation mail. Open the link in the mail.')
    const [mail] = await sql<{ address: string }>`
      select address from mails
      where id = ${mailId} and team_id = ${team.id} and member_id = ${caller.member_id} and purpose = 'confirmation'
        and created_at > now() - interval '1 day'`
    const isTheirs =
      mail !== undefined &&
      (await memberWritesOf(context).confirmEmail({
        sql,
        teamId: team.id,
        memberId: caller.member_id,
        email: mail.address,
      }))
    if (!isTheirs) {
      return fail(
        'conflict',
        'This mail is older than a day, was for somebody else, or your address has changed. Send another one.',
      )
    }
    return { mailbox: await readMailbox(sql, context.config, team.id, caller.member_id) }
  },
})
