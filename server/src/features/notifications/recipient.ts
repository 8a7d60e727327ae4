// Whether mails can go to a member: the server has a mail server, and the member has an address that is shown to be theirs.
import { part, type Part, type Sql } from '../../base/db.ts'
import { isMailAddress } from '../../base/mailSettings.ts'
import type { Config } from '../../base/config.ts'
import { named, nullable, oneOf, Type, type Static } from '../../kit/schema.ts'

export const Mailbox = named(
  'Mailbox',
  Type.Object({
    email: nullable(Type.String({ description: 'The address of the member.' })),
    is_confirmed: Type.Boolean({
      description:
        'Whether mails go there: the member opened a confirmation mail, or signed in with this address at the company’s provider.',
    }),
    state: oneOf(['ready', 'unconfirmed', 'no_address', 'bad_address', 'no_mail_server'], {
      description: 'Why mails are sent, or not.',
    }),
    from: nullable(Type.String({ description: 'The address that mails come from.' })),
  }),
)
export type Mailbox = Static<typeof Mailbox>

/** SQL condition on `members m`: the address is the member's own. */
export const isConfirmed: Part = part`(m.email is not null and lower(m.verified_email) = lower(m.email))`

export async function readMailbox(sql: Sql, config: Config, teamId: string, memberId: string): Promise<Mailbox> {
  const [found] = await sql<{ email: string | null; is_confirmed: boolean }>`
    select m.email, ${isConfirmed} as is_confirmed from members m
    where m.id = ${memberId} and m.team_id = ${teamId} and m.removed_at is null`
  const { email, is_confirmed } = found ?? { email: null, is_confirmed: false }
  const from = config.mailFrom?.address ?? null
  return { email, is_confirmed, state: stateOf(config, email, is_confirmed), from }
}

function stateOf({ smtp }: Config, email: string | null, isOwn: boolean): Mailbox['state'] {
  if (smtp === undefined) return 'no_mail_server'
  if (email === null) return 'no_address'
  if (!isMailAddress(email)) return 'bad_address'
  return isOwn ? 'ready' : 'unconfirmed'
}

export const whyNoMail: Record<Exclude<Mailbox['state'], 'ready'>, string> = {
  no_mail_server: 'This server sends no mails. Its operator sets RUNYARD_SMTP_URL and RUNYARD_MAIL_FROM.',
  no_address: 'You have no e-mail address here. Ask an admin of your team to add it.',
  bad_address: 'No mail can be sent to your e-mail address. Ask an admin of your team to correct it.',
  unconfirmed: 'Your e-mail address is not confirmed. Send a confirmation mail first.',
}
