// Changes what the caller wants to be told. What already waits to be told goes by the new choices.
import { operation } from '../../kit/operation.ts'
import { Type } from '../../kit/schema.ts'
import {
  changed,
  ChoicesPatch,
  choicesOf,
  minuteOf,
  NotificationChoices,
  readChoices,
  type ChoicesRow,
} from './choices.ts'
import { Mailbox, readMailbox } from './recipient.ts'
import { rescheduleNotices } from './spread.ts'

export const updateNotifications = operation({
  id: 'updateNotifications',
  client: 'notifications.update',
  route: 'PATCH /v2/profile/notifications',
  summary: 'Change your notification settings',
  description: 'Only the given fields change. News that already waits follows the new settings.',
  scope: 'team:read',
  body: ChoicesPatch,
  status: 200,
  answer: Type.Object({ notifications: NotificationChoices, mailbox: Mailbox }),
  errors: ['invalid_request'],
  tool: false,
  async handler({ team, caller, body, context, sql }) {
    const memberId = caller.member_id
    // two changes at once are made one after the other
    await sql`select id from members where id = ${memberId} and team_id = ${team.id} for no key update`
    const next = changed(await readChoices(sql, team.id, memberId), body)
    const row: ChoicesRow = {
      ...next,
      digest_minute: minuteOf(next.digest_time),
      quiet_from: next.quiet_from === null ? null : minuteOf(next.quiet_from),
      quiet_until: next.quiet_until === null ? null : minuteOf(next.quiet_until),
    }
    await sql`
      insert into notification_choices as c (member_id, team_id, mail, browser, time_zone, digest_minute, quiet_from, quiet_until)
      values (${memberId}, ${team.id}, ${JSON.stringify(row.mail)}::jsonb, ${JSON.stringify(row.browser)}::jsonb, ${row.time_zone},
        ${row.digest_minute}, ${row.quiet_from}, ${row.quiet_until})
      on conflict (member_id) do update set mail = excluded.mail, browser = excluded.browser, time_zone = excluded.time_zone,
        digest_minute = excluded.digest_minute, quiet_from = excluded.quiet_from, quiet_until = excluded.quiet_until, updated_at = now()`
    await rescheduleNotices(sql, team.id, memberId, row)
    return {
      notifications: choicesOf(row),
      mailbox: await readMailbox(sql, context.config, team.id, memberId),
    }
  },
})
