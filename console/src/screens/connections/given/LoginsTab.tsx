// Logins of the team for web pages: their domains and user names. No password is ever shown.
import type { Login } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Tag } from '../../../parts/Tag.tsx'
import { Time } from '../../../parts/Time.tsx'
import { visible } from '../../../parts/visibleText.ts'
import { loginsQuery } from '../../../queries/given.ts'
import style from '../ConnectionsScreen.module.css'
import { GivenList } from './GivenList.tsx'
import { LoginDialog } from './LoginDialog.tsx'
import { RemoveGiven } from './RemoveGiven.tsx'
import { RowMenu } from './RowMenu.tsx'
import type { TabProps } from './tabProps.ts'

const route = getRouteApi('/frame/connections')

export function LoginsTab({ add, unable, close }: TabProps) {
  const { search, edit, remove, new: making } = route.useSearch()
  const logins = useQuery(loginsQuery(search === undefined ? {} : { search }))
  const find = (id: string | undefined) => logins.data?.logins.find((one) => one.id === id)
  const [edited, removed] = [find(edit), find(remove)]
  const row = (login: Login): ReactNode => (
    <tr key={login.id}>
      <td>
        <span className={style.name}>{visible(login.domain)}</span> {!login.shared && <Tag>private</Tag>}
        <div className={style.detail}>{visible(login.username)}</div>
      </td>
      <td data-label="One-time codes">{login.has_otp ? 'yes' : <span className="dim">none</span>}</td>
      <td data-label="Last used">
        {login.last_used_at === null ? <span className="dim">never</span> : <Time at={login.last_used_at} />}
      </td>
      <RowMenu id={login.id} name={login.domain} unable={unable} change="Change…" />
    </tr>
  )
  return (
    <>
      <GivenList
        kind="logins"
        noun="login"
        operation="listLogins"
        hint="Domain or user name"
        query={logins}
        columns={['Login', 'One-time codes', 'Last used']}
        rows={(page) => page.logins.map(row)}
        empty={{
          icon: 'keys',
          title: 'There are no logins',
          says: 'A login is a user name and a password for pages of one domain. The browser fills them in, and no agent sees them.',
          action: add,
          command: 'runyard call listLogins',
        }}
      />
      {making === 'login' && <LoginDialog onClose={close} />}
      {edited && <LoginDialog login={edited} onClose={close} />}
      {removed && (
        <RemoveGiven kind="logins" noun="login" one={{ id: removed.id, name: removed.domain }} onClose={close} />
      )}
    </>
  )
}
