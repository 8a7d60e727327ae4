// What a connection sends with each call: names, never values.
import type { Connection } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { Card } from '../../parts/Card.tsx'
import { Shown } from '../../parts/states.tsx'
import { Tag } from '../../parts/Tag.tsx'
import { Time } from '../../parts/Time.tsx'
import { visible } from '../../parts/visibleText.ts'
import { credentialsQuery } from '../../queries/connections.ts'
import style from './ConnectionScreen.module.css'
import { Reconnect } from './Reconnect.tsx'

const ways: Record<Connection['auth_method'], string> = {
  oauth: 'tokens of a sign-in (OAuth)',
  apikey: 'a key',
  headers: 'headers',
  none: 'nothing',
}

export function Credential({ connection }: { connection: Connection }) {
  const credentials = useQuery(credentialsQuery(connection.id))
  const { auth_method: way, scopes, expires_at: end } = connection
  return (
    <Card title="Credential">
      <dl className={style.facts}>
        <dt>Sends</dt>
        <dd>{ways[way]}</dd>
        {way !== 'oauth' && way !== 'none' && (
          <>
            <dt>Headers</dt>
            <dd>
              <Shown query={credentials} what="headers" rows={1}>
                {({ headers }) => (
                  <ul>
                    {headers.map(({ name }) => (
                      <li key={name}>
                        <code>{visible(name)}</code> <span className="dim">set, not shown again</span>
                      </li>
                    ))}
                  </ul>
                )}
              </Shown>
            </dd>
          </>
        )}
        {scopes !== null && scopes.length > 0 && (
          <>
            <dt>Scopes</dt>
            <dd className={style.scopes}>
              {scopes.map((scope) => (
                <Tag key={scope}>{visible(scope)}</Tag>
              ))}
            </dd>
          </>
        )}
        {end !== null && (
          <>
            <dt>Token ends</dt>
            <dd>
              <Time at={end} /> <span className="dim">renewed before that</span>
            </dd>
          </>
        )}
      </dl>
      {connection.status !== 'action_required' && way !== 'none' && (
        <p className={style.acts}>
          <Reconnect connection={connection} />
        </p>
      )}
    </Card>
  )
}
