// A mail to a member: what it is for, how far it has come, and how its row is read.
import { part } from '../../base/db.ts'
import { Id, named, nullable, oneOf, Time, Type, type Static } from '../../kit/schema.ts'

export const MemberMail = named(
  'MemberMail',
  Type.Object({
    id: Id,
    purpose: oneOf(['news', 'test', 'confirmation']),
    address: Type.String(),
    state: oneOf(['waiting', 'sending', 'sent', 'in_doubt', 'failed', 'dropped'], {
      description:
        '`sent`: the mail server took it. `in_doubt`: the connection or the process ended in the moment in which the mail server decided, and it is not sent again. `dropped`: there was nothing to tell any more.',
    }),
    attempts: Type.Integer({ minimum: 0 }),
    problem: nullable(Type.String({ description: 'What went wrong last.' })),
    notices: Type.Integer({ minimum: 0, description: 'How many things it tells.' }),
    created_at: Time,
    settled_at: nullable(Time),
  }),
)
export type MemberMail = Static<typeof MemberMail>

export const mailColumns = part`
  m.id, m.purpose, m.address, case m.state when 'due' then 'waiting' when 'ending' then 'sending' else m.state end as state,
  m.attempts, m.problem, (select count(*) from notices n where n.mail_id = m.id) as notices, m.created_at, m.settled_at`
