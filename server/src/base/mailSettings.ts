// The settings of mails, for the table in config.ts, and what must be set together.
import { integer, oneOf, type Setting } from './settingKinds.ts'

export interface SmtpServer {
  host: string
  port: number
  /** TLS from the first byte on (`smtps:`), not after STARTTLS. */
  isTls: boolean
  user: string | undefined
  password: string | undefined
}

/** One mailbox, as a program writes it into an envelope and a header: an address of RFC 5321 without quotes, comments or literals. */
const mailAddress =
  /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$/

export const isMailAddress = (text: string): boolean => text.length <= 254 && mailAddress.test(text)

/** How long a name is that stands before the address of the sender. */
const nameMax = 100

export const mailSettings = {
  smtp: {
    env: 'RUNYARD_SMTP_URL',
    says: 'The mail server that mails to members go through: `smtp://user:password@mail.example.com:587`, or `smtps://` for TLS from the first byte on (port 465). Percent-encode what is special in the user name and password.',
    unset: 'none: no mails',
    secret: true,
    read(value) {
      if (value === undefined) return undefined
      const url = URL.parse(value)
      if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === '' || !/^\/?$/.test(url.pathname + url.search)) {
        throw new Error(
          'must be smtp://host:port or smtps://host:port, with user:password@ where the server wants a login',
        )
      }
      const isTls = url.protocol === 'smtps:'
      const [user, password] = [url.username, url.password].map((text) => loginText(text))
      if ((user === undefined) !== (password === undefined))
        throw new Error('must have both a user name and a password, or neither')
      const port = url.port === '' ? (isTls ? 465 : 587) : Number(url.port)
      return { host: url.hostname.replace(/^\[|\]$/g, ''), port, isTls, user, password }
    },
  } satisfies Setting<SmtpServer | undefined>,
  smtpTls: oneOf(
    'RUNYARD_SMTP_TLS',
    ['required', 'if_offered', 'off'],
    'required',
    'Whether an `smtp://` connection must change to TLS (STARTTLS) before anything is said. A login is sent without TLS only with `off`.',
  ),
  smtpTimeoutS: integer(
    'RUNYARD_SMTP_TIMEOUT_S',
    { min: 1, max: 300, unset: 30 },
    'How many seconds the mail server has for one answer.',
  ),
  mailFrom: {
    env: 'RUNYARD_MAIL_FROM',
    says: 'The sender of mails: `runyard@example.com`, or `Runyard <runyard@example.com>`.',
    unset: 'none',
    read(value) {
      if (value === undefined) return undefined
      const [, name = '', inside] = /^([^<>]*)<([^<>]*)>$/.exec(value.trim()) ?? []
      const address = inside ?? value.trim()
      if (!isMailAddress(address) || name.length > nameMax || /[\p{Cc}"\\]/u.test(name)) {
        throw new Error('must be an address such as runyard@example.com, or Runyard <runyard@example.com>')
      }
      return { name: name.trim() || 'Runyard', address }
    },
  } satisfies Setting<{ name: string; address: string } | undefined>,
  mailGapS: integer(
    'RUNYARD_MAIL_GAP_S',
    { min: 0, max: 3600, unset: 60 },
    'How many seconds lie at least between two mails of news to one member; what happens in between comes in one mail.',
  ),
  mailsPerTeamHour: integer(
    'RUNYARD_MAILS_PER_TEAM_HOUR',
    { min: 1, max: 1_000_000, unset: 300 },
    'How many mails one team may send in an hour; what exceeds that comes in one mail later.',
  ),
}

function loginText(encoded: string): string | undefined {
  if (encoded === '') return undefined
  const text = decodeURIComponent(encoded)
  // NUL separates the two in a login, and no mail server takes a line break
  if (/[\0\r\n]/.test(text)) throw new Error('must not hold a line break or NUL in the user name or password')
  return text
}

/** A server without a sender, or a sender without a server, would only fail with the first mail. */
export function mailProblems({ smtp, mailFrom }: { smtp?: unknown; mailFrom?: unknown }): string[] {
  if ((smtp === undefined) === (mailFrom === undefined)) return []
  return [
    smtp === undefined
      ? 'RUNYARD_MAIL_FROM needs RUNYARD_SMTP_URL as well'
      : 'RUNYARD_SMTP_URL needs RUNYARD_MAIL_FROM as well',
  ]
}
