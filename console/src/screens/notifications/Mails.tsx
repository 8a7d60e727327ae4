// The latest mails to oneself, and what became of each.
import type { MemberMail } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { counted } from '../../parts/amounts.ts'
import { Card } from '../../parts/Card.tsx'
import { Shown } from '../../parts/states.tsx'
import { Time } from '../../parts/Time.tsx'
import { StatusShape } from '../../look/StatusShape.tsx'
import { mailsQuery } from '../../queries/notifications.ts'
import style from './NotificationsScreen.module.css'
import { visible } from '../../parts/visibleText.ts'

const words: Record<MemberMail['state'], string> = {
  waiting: 'waits',
  sending: 'is being sent',
  sent: 'sent',
  in_doubt: 'in doubt',
  failed: 'failed',
  dropped: 'not needed any more',
}
const shapes: Record<MemberMail['state'], Parameters<typeof StatusShape>[0]['shape']> = {
  waiting: 'pending',
  sending: 'running',
  sent: 'done',
  in_doubt: 'human',
  failed: 'failed',
  dropped: 'stopped',
}

const purposeOf = ({ purpose, notices }: MemberMail): string => {
  if (purpose === 'test') return 'Test mail'
  if (purpose === 'confirmation') return 'Confirmation mail'
  return counted(notices, 'notice', 'notices')
}

export function Mails() {
  const mails = useQuery(mailsQuery)
  return (
    <Card title="Mails to you">
      <Shown query={mails} what="mails" rows={3}>
        {({ mails: rows }) =>
          rows.length === 0 ? (
            <p className={style.nothing}>No mail in the last 30 days.</p>
          ) : (
            <ul className={style.mails} aria-label="Mails to you">
              {rows.map((mail) => (
                <li key={mail.id}>
                  <StatusShape shape={shapes[mail.state]} />
                  <span className={style.what}>
                    {purposeOf(mail)}, <span className="dim">{words[mail.state]}</span>
                    {mail.problem !== null && <span className={style.problem}>{visible(mail.problem)}</span>}
                  </span>
                  <Time at={mail.settled_at ?? mail.created_at} />
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </Card>
  )
}
