// Secrets of the team: their names and the names of their variables. No value is ever shown.
import type { Secret } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Tag } from '../../../parts/Tag.tsx'
import { Time } from '../../../parts/Time.tsx'
import { secretsQuery } from '../../../queries/given.ts'
import style from '../ConnectionsScreen.module.css'
import { GivenList } from './GivenList.tsx'
import { RemoveGiven } from './RemoveGiven.tsx'
import { RowMenu } from './RowMenu.tsx'
import { SecretDialog } from './SecretDialog.tsx'
import type { TabProps } from './tabProps.ts'

const route = getRouteApi('/frame/connections')

export function SecretsTab({ add, unable, close }: TabProps) {
  const { search, edit, remove, new: making } = route.useSearch()
  const secrets = useQuery(secretsQuery(search === undefined ? {} : { search }))
  const find = (id: string | undefined) => secrets.data?.secrets.find((one) => one.id === id)
  const [edited, removed] = [find(edit), find(remove)]
  const row = (secret: Secret): ReactNode => (
    <tr key={secret.id}>
      <td>
        <span className={style.name}>{secret.name}</span> {!secret.shared && <Tag>private</Tag>}
        <div className={style.detail}>{secret.env_var_keys.join(', ')}</div>
      </td>
      <td data-label="Last used">
        {secret.last_used_at === null ? <span className="dim">never</span> : <Time at={secret.last_used_at} />}
      </td>
      <td data-label="Changed">
        <Time at={secret.updated_at} />
      </td>
      <RowMenu id={secret.id} name={secret.name} unable={unable} change="Change…" />
    </tr>
  )
  return (
    <>
      <GivenList
        kind="secrets"
        noun="secret"
        operation="listSecrets"
        hint="Name or variable"
        query={secrets}
        columns={['Secret', 'Last used', 'Changed']}
        rows={(page) => page.secrets.map(row)}
        empty={{
          icon: 'lock',
          title: 'There are no secrets',
          says: 'A secret is a named set of variables. Commands of agents have them in their environment, and nobody reads them.',
          action: add,
          command: 'runyard call listSecrets',
        }}
      />
      {making === 'secret' && <SecretDialog onClose={close} />}
      {edited && <SecretDialog secret={edited} onClose={close} />}
      {removed && <RemoveGiven kind="secrets" noun="secret" one={removed} onClose={close} />}
    </>
  )
}
