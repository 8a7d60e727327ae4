// The facts of a connection: what it is, where it leads, whose account, and when it was last used.
import type { Connection } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { Card } from '../../parts/Card.tsx'
import { CopyText } from '../../parts/CopyText.tsx'
import { Time } from '../../parts/Time.tsx'
import { visible } from '../../parts/visibleText.ts'
import { membersQuery } from '../../queries/team.ts'
import style from './ConnectionScreen.module.css'

const kinds: Record<Connection['type'], string> = {
  native: 'account at a provider',
  mcp: 'MCP server, signed in',
  custom_mcp: 'MCP server',
  api: 'HTTP API',
}

export function Facts({ connection }: { connection: Connection }) {
  const { id, type, provider, server_url: url, transport, account, shared, name } = connection
  const { data: members } = useQuery(membersQuery)
  const maker = members?.members.find((member) => member.id === connection.user_id)?.name
  return (
    <Card title="Facts">
      <dl className={style.facts}>
        <dt>Kind</dt>
        <dd>{kinds[type]}</dd>
        <dt>Provider</dt>
        <dd>{visible(provider)}</dd>
        {url !== null && (
          <>
            <dt>URL</dt>
            <dd>
              <code>{visible(url)}</code>
              {transport !== null && <span className="dim"> ({transport})</span>}
            </dd>
          </>
        )}
        {connection.auth_method === 'oauth' && (
          <>
            <dt>Account</dt>
            <dd>{account === null ? <span className="dim">the provider does not say</span> : visible(account)}</dd>
          </>
        )}
        <dt>Last used</dt>
        <dd>{connection.last_used_at === null ? 'never by a run' : <Time at={connection.last_used_at} />}</dd>
        <dt>Used as</dt>
        <dd>
          <code>
            {type === 'api'
              ? `http_request, connection "${visible(name)}"`
              : type === 'native'
                ? `${provider.replaceAll('-', '_')}_request`
                : 'the tools below'}
          </code>
        </dd>
        <dt>For</dt>
        <dd>{shared ? 'the whole team' : 'runs that act for its maker alone'}</dd>
        <dt>Made</dt>
        <dd>
          <Time at={connection.created_at} />
          {maker !== undefined && <> by {visible(maker)}</>}
        </dd>
        <dt>Id</dt>
        <dd>
          <CopyText text={id} what="connection id" />
        </dd>
      </dl>
    </Card>
  )
}
