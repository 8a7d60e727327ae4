// Reads what the caller wants to be told, and whether mails reach them.
import { operation } from '../../kit/operation.ts'
import { Type } from '../../kit/schema.ts'
import { NotificationChoices, readChoices } from './choices.ts'
import { Mailbox, readMailbox } from './recipient.ts'

export const getNotifications = operation({
  id: 'getNotifications',
  client: 'notifications.get',
  route: 'GET /v2/profile/notifications',
  summary: 'Get your notification settings',
  description: 'What you want to be notified of, by mail and by your browsers, and whether mails reach you.',
  scope: 'team:read',
  status: 200,
  answer: Type.Object({ notifications: NotificationChoices, mailbox: Mailbox }),
  tool: false,
  async handler({ team, caller, context, sql }) {
    return {
      notifications: await readChoices(sql, team.id, caller.member_id),
      mailbox: await readMailbox(sql, context.config, team.id, caller.member_id),
    }
  },
})
