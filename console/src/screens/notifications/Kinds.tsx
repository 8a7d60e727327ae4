// Which kinds of news notify a person: a row for each, with mails and browser notifications.
import type { Mailbox, NotificationChoices, UpdateNotificationsInput } from '@runyard/sdk'
import { useBrowserNotices } from '../../app/noticePermission.ts'
import { useSession, type Scope } from '../../app/session.tsx'
import { classes } from '../../look/classes.ts'
import { Card } from '../../parts/Card.tsx'
import table from '../../parts/Table.module.css'
import style from './NotificationsScreen.module.css'

type Kind = keyof NotificationChoices['mail']

const kinds: { kind: Kind; name: string; says: string; scope: Scope }[] = [
  { kind: 'human_requests', name: 'Requests', says: 'A run waits for a person', scope: 'approvals:write' },
  { kind: 'failed_runs', name: 'Failed runs', says: 'A run has failed', scope: 'runs:read' },
  {
    kind: 'connections',
    name: 'Connections',
    says: 'A connection must be authorised again',
    scope: 'connections:read',
  },
  { kind: 'deliveries', name: 'Deliveries', says: 'A webhook fails again and again', scope: 'webhooks:manage' },
  { kind: 'alerts', name: 'Alerts', says: 'An incident has opened or closed', scope: 'runs:read' },
]

const wishes = { at_once: 'At once', digest: 'In the daily digest', off: 'Not by mail' }

interface KindsProps {
  choices: NotificationChoices
  mailbox: Mailbox
  onChange: (input: UpdateNotificationsInput) => void
}

export function Kinds({ choices, mailbox, onChange }: KindsProps) {
  const { unable } = useSession()
  const browser = useBrowserNotices()
  return (
    <Card title="What you are notified of">
      <div className={style.scroll}>
        <table className={classes(table.table, table.inCard)}>
          <thead>
            <tr>
              <th scope="col">What</th>
              <th scope="col">By mail</th>
              <th scope="col">While a tab is open</th>
            </tr>
          </thead>
          <tbody>
            {kinds.map(({ kind, name, says, scope }) => (
              <tr key={kind}>
                <th scope="row" className={style.kind}>
                  <span>{name}</span>
                  <span className="dim">{unable(scope) ?? says}</span>
                </th>
                <td data-label="By mail">
                  <select
                    className={style.select}
                    aria-label={`${name} by mail`}
                    value={choices.mail[kind]}
                    onChange={({ target }) =>
                      onChange({ mail: { [kind]: target.value as NotificationChoices['mail'][Kind] } })
                    }
                  >
                    {Object.entries(wishes).map(([value, label]) => (
                      <option key={value} value={value}>
                        {label}
                      </option>
                    ))}
                  </select>
                </td>
                <td data-label="By the browser">
                  <label className={style.check}>
                    <input
                      type="checkbox"
                      aria-label={`${name} by the browser`}
                      checked={choices.browser[kind]}
                      onChange={({ target }) => onChange({ browser: { [kind]: target.checked } })}
                    />
                    Browser
                  </label>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div className={style.body}>
        <label className={style.check}>
          <input type="checkbox" checked={browser.isOn} onChange={() => void browser.change()} />
          This browser shows notifications while Runyard is open in a tab
        </label>
        {mailbox.state !== 'ready' && <p className="dim">Mails begin when your mailbox is confirmed.</p>}
      </div>
    </Card>
  )
}
