// What can be connected: accounts at providers, MCP servers and APIs. For a provider without a client it says what an operator has to set.
import type { ConnectionProvider } from '@runyard/sdk'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useSession } from '../../app/session.tsx'
import { Icon } from '../../look/Icon.tsx'
import { Button } from '../../parts/Button.tsx'
import { connectProvider } from '../../parts/connections/authorize.ts'
import { CopyAs } from '../../parts/CopyAs.tsx'
import { CopyText } from '../../parts/CopyText.tsx'
import { Shown } from '../../parts/states.tsx'
import { Tag } from '../../parts/Tag.tsx'
import { toastError } from '../../parts/toasts.tsx'
import { providersQuery } from '../../queries/connections.ts'
import style from './ConnectionsScreen.module.css'
import type { ConnectionsSearch } from './search.ts'

export function Catalogue({ onNew }: { onNew: (kind: ConnectionsSearch['new']) => void }) {
  const cannot = useSession().unable('connections:write')
  const providers = useQuery(providersQuery)
  return (
    <Shown query={providers} what="providers">
      {({ providers: all, redirect_uri: redirect }) => (
        <div className={style.catalogue}>
          <article className={`card ${style.card}`}>
            <div className={style.cardHead}>
              <Icon name="tool" />
              <h2>MCP server</h2>
            </div>
            <p>Tools of a server that speaks the Model Context Protocol, with OAuth, a key, headers or nothing.</p>
            <span>
              <Button icon="plus" unable={cannot} onClick={() => onNew('mcp')}>
                Connect a server
              </Button>
            </span>
          </article>
          <article className={`card ${style.card}`}>
            <div className={style.cardHead}>
              <Icon name="keys" />
              <h2>API with a key</h2>
            </div>
            <p>Any HTTP API that takes a key or headers.</p>
            <span>
              <Button icon="plus" unable={cannot} onClick={() => onNew('api')}>
                Connect an API
              </Button>
            </span>
          </article>
          {all
            .toSorted((one, other) => Number(other.is_configured) - Number(one.is_configured))
            .map((provider) => (
              <ProviderCard key={provider.name} provider={provider} redirect={redirect} cannot={cannot} />
            ))}
        </div>
      )}
    </Shown>
  )
}

interface ProviderCardProps {
  provider: ConnectionProvider
  redirect: string | null
  cannot: string | undefined
}

function ProviderCard({ provider, redirect, cannot }: ProviderCardProps) {
  const { name, title, description, is_configured: isReady, scopes, settings, docs_url: docs } = provider
  const connect = useMutation({
    mutationFn: () => connectProvider(name),
    onError: (error) => toastError(`${title} could not be asked`, error),
  })
  return (
    <article className={`card ${style.card}`} aria-label={title}>
      <div className={style.cardHead}>
        <h2>{title}</h2>
        {!isReady && <Tag>not set up</Tag>}
      </div>
      <p>{description}</p>
      {isReady ? (
        <>
          <details className={style.more}>
            <summary>What it asks for</summary>
            <code>{scopes.join(' ')}</code>
          </details>
          <span className={style.cardHead}>
            <Button
              icon="external"
              unable={cannot}
              isBusy={connect.isPending || connect.isSuccess}
              onClick={() => connect.mutate()}
            >
              Connect
            </Button>
            <CopyAs isSmall operation="startNativeOAuth" params={{ provider: name }} />
          </span>
        </>
      ) : (
        <details className={style.more}>
          <summary>How an operator sets it up</summary>
          <dl>
            <dt>1. Make an OAuth client</dt>
            <dd>
              <a className="link" href={docs} target="_blank" rel="noreferrer">
                {new URL(docs).host}
              </a>
            </dd>
            <dt>with this redirect URI</dt>
            <dd>
              {redirect === null ? (
                'Set PUBLIC_URL on the server first.'
              ) : (
                <CopyText text={redirect} what="redirect URI" />
              )}
            </dd>
            <dt>2. Set, and start the server again</dt>
            <dd>
              <code>{settings}</code>
            </dd>
          </dl>
        </details>
      )}
    </article>
  )
}
