// Sends the caller a mail that says that mails arrive.
import { operation } from '../../kit/operation.ts'
import { wrapped } from '../../kit/schema.ts'
import { MemberMail } from './mail.ts'
import { orderMail, tooMany } from './ordered.ts'
import { readMailbox, whyNoMail } from './recipient.ts'

export const sendTestMail = operation({
  id: 'sendTestMail',
  client: 'notifications.test',
  route: 'POST /v2/profile/notifications/test',
  summary: 'Send yourself a test mail',
  description: 'The mail is sent by a worker a moment later; `listMails` says what became of it. At most five an hour.',
  scope: 'team:read',
  status: 202,
  answer: wrapped('mail', 'mail_id', MemberMail),
  errors: ['conflict'],
  tool: false,
  async handler({ team, caller, context, sql, fail }) {
    const { state, email } = await readMailbox(sql, context.config, team.id, caller.member_id)
    if (state !== 'ready') return fail('conflict', whyNoMail[state])
    const mail = await orderMail(
      { sql, config: context.config },
      { teamId: team.id, memberId: caller.member_id, purpose: 'test', address: email! },
    )
    if (!mail) return fail('conflict', tooMany)
    return { mail, mail_id: mail.id }
  },
})
