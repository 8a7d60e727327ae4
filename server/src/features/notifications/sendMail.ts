// Sends one mail that this process has taken, and writes what became of it.
import { one, untilWritten } from '../../base/db.ts'
import type { Context } from '../../kit/context.ts'
import { messageOf } from '../../drivers/mail/message.ts'
import { sendBySmtp, type Outcome, type SmtpOptions } from '../../drivers/mail/smtp.ts'
import { confirmationToken } from './confirmationToken.ts'
import { confirmationLetter, newsLetter, testLetter, type Letter } from './letter.ts'
import { readNews } from './news.ts'
import { beginEnding, endMail, markSent, putBack, settleLost, type TakenMail } from './outbox.ts'

/** Seconds until the next attempt, by how many there were. */
const waits = [20, 60, 300, 900, 1800, 3600]
const problemMax = 500

export interface MailServer extends SmtpOptions {
  from: { name: string; address: string }
}

/** The mail server of the settings; undefined where there is none. */
export function mailServerOf({ config }: Pick<Context, 'config'>): MailServer | undefined {
  const { smtp, mailFrom, smtpTls, smtpTimeoutS } = config
  if (smtp === undefined || mailFrom === undefined) return undefined
  return { server: smtp, from: mailFrom, tls: smtpTls, timeoutMs: smtpTimeoutS * 1000 }
}

/** A conversation has at most a dozen answers, each bounded by the timeout. */
export const leaseSecondsOf = ({ timeoutMs }: MailServer): number => (timeoutMs / 1000) * 15 + 30

/** False: the mail server could not be reached, which the next mail would find out too. */
export async function sendMail(
  context: Context,
  mail: TakenMail,
  { server, worker, signal }: { server: MailServer; worker: string; signal: AbortSignal },
): Promise<boolean> {
  const { sql } = context.db
  if (!mail.is_theirs) {
    await endMail(sql, mail, worker, { state: 'dropped', problem: 'The address is not the member’s any more.' })
    return true
  }
  const letter = await letterFor(context, mail)
  if (!letter) {
    await endMail(sql, mail, worker, { state: 'dropped', problem: null })
    return true
  }
  const message = messageOf({
    ...letter,
    id: mail.id,
    from: server.from,
    to: mail.address,
    at: mail.created_at,
    settingsUrl: `${context.baseUrl()}/notifications`,
  })
  const outcome = await sendBySmtp(server, {
    from: server.from.address,
    to: mail.address,
    message,
    signal,
    beforeEnd: () => beginEnding(sql, mail, worker),
  })
  // the database may be away for a moment; until it is back, the row says what is known
  await untilWritten(() => record(context, mail, worker, outcome), signal)
  return outcome.is !== 'not_handed_over' || outcome.isOurs
}

async function record(context: Context, mail: TakenMail, worker: string, outcome: Outcome): Promise<void> {
  const { sql } = context.db
  const problem = outcome.says.slice(0, problemMax)
  const waitS = waits[Math.min(mail.attempts, waits.length) - 1]!
  switch (outcome.is) {
    case 'accepted':
      return markSent(sql, mail)
    case 'in_doubt':
      context.log.warn(
        { mail_id: mail.id, reason: problem },
        'nobody knows whether a mail was accepted; it is not sent again',
      )
      return settleLost(sql, { mailId: mail.id })
    case 'refused':
      context.log.warn({ mail_id: mail.id, reason: problem }, 'the mail server refused a mail')
      if (outcome.isFinal) return endMail(sql, mail, worker, { state: 'failed', problem })
      return putBack(sql, mail, worker, problem, waitS)
    case 'not_handed_over':
      if (!outcome.isOurs)
        context.log.warn({ mail_id: mail.id, reason: problem }, 'a mail could not be sent; will retry')
      return putBack(sql, mail, worker, problem, waitS)
  }
}

/** Undefined: there is nothing to tell any more. */
async function letterFor(
  context: Context,
  mail: TakenMail,
): Promise<(Letter & { follows?: string | undefined }) | undefined> {
  const { sql } = context.db
  const baseUrl = context.baseUrl()
  if (mail.purpose === 'confirmation') return confirmationLetter(baseUrl, confirmationToken(context, mail.id))
  const team = await one(sql<{ name: string }>`select name from teams where id = ${mail.team_id}`)
  if (mail.purpose === 'test') return testLetter({ baseUrl, teamName: team.name })
  const items = await readNews(sql, { teamId: mail.team_id, memberId: mail.member_id, mailId: mail.id })
  if (items.length === 0) return undefined
  const follows = items.find(({ doubted_mail_id }) => doubted_mail_id !== null)?.doubted_mail_id ?? undefined
  return { ...newsLetter(items, { baseUrl, teamName: team.name }), follows }
}
