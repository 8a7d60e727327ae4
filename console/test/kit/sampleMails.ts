// A member with a confirmed mailbox and the mails of a week: no mail server takes part.
import { Client } from 'pg'
import type { Runyard } from '../../../sdk/src/index.ts'
import { sqlOn } from '../../../server/src/base/db.ts'

/** For the service whose screens are drawn: mails would go nowhere. */
export const sampleMailSettings = {
  RUNYARD_SMTP_URL: 'smtp://127.0.0.1:9',
  RUNYARD_SMTP_TLS: 'off',
  RUNYARD_MAIL_FROM: 'runyard@example.com',
}

export async function makeSampleMails(database: string, sdk: Runyard): Promise<void> {
  const { profile } = await sdk.teams.profile()
  await sdk.members.update(profile.id, { email: 'night@example.com' })
  await sdk.notifications.update({
    mail: { connections: 'at_once', deliveries: 'digest' },
    browser: { failed_runs: true },
    time_zone: 'Europe/Berlin',
    quiet_from: '22:00',
    quiet_until: '07:00',
  })
  const client = new Client({ connectionString: database })
  await client.connect()
  try {
    await sqlOn(client)`
      with member as (update members set verified_email = email where id = ${profile.id} returning id, team_id),
      mail as (
      insert into mails (id, team_id, member_id, purpose, address, state, attempts, problem, created_at, settled_at)
      select gen_random_uuid(), m.team_id, m.id, s.purpose, 'night@example.com', s.state, 1, s.problem, now() - s.ago, now() - s.ago
      from member m, (values
        ('test', 'sent', null, interval '4 minutes'),
        ('news', 'sent', null, interval '2 hours'),
        ('news', 'failed', 'RCPT TO: the mail server answered 550 5.1.1 The mailbox is full', interval '26 hours'),
        ('confirmation', 'sent', null, interval '5 days')) as s (purpose, state, problem, ago)
      returning id, team_id, member_id, purpose)
      insert into notices (team_id, member_id, kind, subject_id, mail_id)
      select team_id, member_id, 'failed_runs', gen_random_uuid(), id from mail, generate_series(1, 3) where purpose = 'news'`
  } finally {
    await client.end()
  }
}
