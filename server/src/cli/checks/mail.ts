// Checks the mail server of the settings, by signing in to it.
import { tryMailServer } from '../../drivers/mail/smtp.ts'
import { ok, problem, type Check } from './check.ts'

/** Somebody waits for the answer. */
const timeoutMs = 5000

export const mail: Check = {
  name: 'mail',
  async run({ config: { smtp, smtpTls, mailFrom } }) {
    if (smtp === undefined || mailFrom === undefined) {
      return ok('not set up: members get no mails (RUNYARD_SMTP_URL, RUNYARD_MAIL_FROM)')
    }
    try {
      return ok(`${await tryMailServer({ server: smtp, tls: smtpTls, timeoutMs })}, from ${mailFrom.address}`)
    } catch (error) {
      return problem(`no mails can be sent: ${error instanceof Error ? error.message : String(error)}`)
    }
  },
}
