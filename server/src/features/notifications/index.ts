// Notifications: what members want to be told by mail and by their browsers, and the mails.
import { feature } from '../../kit/feature.ts'
import { confirmEmail } from './confirmEmail.ts'
import { getNotifications } from './getNotifications.ts'
import { listMails } from './listMails.ts'
import { startMailer } from './mailer.ts'
import { settleLost } from './outbox.ts'
import { requestEmailConfirmation } from './requestEmailConfirmation.ts'
import { sendTestMail } from './sendTestMail.ts'
import { sweepNotifications } from './sweepNotifications.job.ts'
import { updateNotifications } from './updateNotifications.ts'

export const notifications = feature({
  name: 'notifications',
  about: 'What members are notified of, by mail and by their browsers, and the mails to them.',
  operations: [getNotifications, updateNotifications, sendTestMail, listMails, requestEmailConfirmation, confirmEmail],
  jobs: [sweepNotifications],
  work: startMailer,
  reap: ({ db }, dead) => settleLost(db.sql, { worker: dead.id }),
})
