// Sends a mail with a link to the caller's address: whoever opens it has shown that the address is theirs.
import { operation } from '../../kit/operation.ts'
import { wrapped } from '../../kit/schema.ts'
import { MemberMail } from './mail.ts'
import { orderMail, tooMany } from './ordered.ts'
import { readMailbox, whyNoMail } from './recipient.ts'

export const requestEmailConfirmation = operation({
  id: 'requestEmailConfirmation',
  client: 'notifications.requestConfirmation',
  route: 'POST /v2/profile/email/confirmation',
  summary: 'Send a confirmation mail',
  description:
    'Sends a link to your address, which is valid for a day. Nothing else is mailed to an address before it is confirmed. At most five an hour.',
  scope: 'team:read',
  status: 202,
  answer: wrapped('mail', 'mail_id', MemberMail),
  errors: ['conflict'],
  tool: false,
  async handler({ team, caller, context, sql, fail }) {
    const { state, email } = await readMailbox(sql, context.config, team.id, caller.member_id)
    if (state === 'ready') return fail('conflict', 'Your e-mail address is confirmed already.')
    if (state !== 'unconfirmed') return fail('conflict', whyNoMail[state])
    const wanted = { teamId: team.id, memberId: caller.member_id, purpose: 'confirmation' as const, address: email! }
    const mail = await orderMail({ sql, config: context.config }, wanted)
    if (!mail) return fail('conflict', tooMany)
    return { mail, mail_id: mail.id }
  },
})
