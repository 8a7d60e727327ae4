// Connections: the accounts, servers and keys that agents may use, and the catalogue of what can be connected.
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { Bar } from '../../app/Bar.tsx'
import { useCommands } from '../../app/commands.ts'
import { useSession } from '../../app/session.tsx'
import { classes } from '../../look/classes.ts'
import { Button } from '../../parts/Button.tsx'
import { ChoiceFilter } from '../../parts/ChoiceFilter.tsx'
import { ConnectionState, stateWord } from '../../parts/connections/ConnectionState.tsx'
import { endingWords } from '../../parts/connections/authorize.ts'
import { counted } from '../../parts/amounts.ts'
import { CopyAs } from '../../parts/CopyAs.tsx'
import { Problem } from '../../parts/Field.tsx'
import { Menu } from '../../parts/Menu.tsx'
import { SearchField } from '../../parts/SearchField.tsx'
import { Empty, NotAllowed, Shown } from '../../parts/states.tsx'
import { Tabs } from '../../parts/Tabs.tsx'
import { Tag } from '../../parts/Tag.tsx'
import { Time } from '../../parts/Time.tsx'
import { visible } from '../../parts/visibleText.ts'
import { connectionsQuery } from '../../queries/connections.ts'
import { Catalogue } from './Catalogue.tsx'
import table from '../../parts/Table.module.css'
import style from './ConnectionsScreen.module.css'
import { NewConnection } from './NewConnection.tsx'
import { givenTabs } from './given/givenTabs.ts'
import { connectionStates, type ConnectionsSearch } from './search.ts'
import { useConnectionKeys } from './useConnectionKeys.ts'
import type { Connection } from '@runyard/sdk'

const route = getRouteApi('/frame/connections')

export function ConnectionsScreen() {
  const { unable } = useSession()
  const search = route.useSearch()
  const { tab = 'connected', new: making, status, connection_id: made, error } = search
  const given = givenTabs.find(({ kind }) => kind === tab)
  const cannotSee = unable(given?.reads ?? 'connections:read')
  const cannot = unable('connections:write')
  const navigate = route.useNavigate()
  const all = useQuery({ ...connectionsQuery({ limit: 100 }), enabled: unable('connections:read') === undefined })
  const open = (kind: ConnectionsSearch['new'] | undefined) =>
    void navigate({ search: (now) => ({ ...now, new: kind }) })
  useCommands([
    { id: 'connect-mcp', label: 'Connect an MCP server', icon: 'plus', unable: cannot, run: () => open('mcp') },
    { id: 'connect-api', label: 'Connect an API with a key', icon: 'plus', unable: cannot, run: () => open('api') },
  ])
  // the provider sent the browser back: what was made is opened, and going back does not come here again
  useEffect(() => {
    if (status === 'connected' && made !== undefined)
      void navigate({
        to: '/connections/$connectionId',
        params: { connectionId: made },
        search: { status: 'connected' },
        replace: true,
      })
  }, [status, made, navigate])
  const close = () =>
    void navigate({ search: (now) => ({ ...now, new: undefined, edit: undefined, remove: undefined }) })
  const cannotGive = given && unable(given.writes)
  const addGiven = given && (
    <Button kind="go" icon="plus" unable={cannotGive} onClick={() => open(given.adds)}>
      {given.verb}
    </Button>
  )
  const add = (
    <Menu
      label="Connect"
      trigger={
        <Button kind="go" icon="plus" unable={cannot}>
          Connect
        </Button>
      }
      items={[
        {
          label: 'An account (catalogue)',
          icon: 'user',
          onSelect: () => void navigate({ search: { tab: 'catalogue' } }),
        },
        { label: 'An MCP server…', icon: 'tool', onSelect: () => open('mcp') },
        { label: 'An API with a key…', icon: 'keys', onSelect: () => open('api') },
      ]}
    />
  )
  return (
    <>
      <Bar
        title="Connections"
        tabs={
          <Tabs
            label="Connections"
            tabs={[
              {
                label: 'Connected',
                count: all.data?.total,
                isOpen: tab === 'connected',
                link: { to: '/connections', search: {} },
              },
              {
                label: 'Catalogue',
                isOpen: tab === 'catalogue',
                link: { to: '/connections', search: { tab: 'catalogue' } },
              },
              ...givenTabs.map(({ kind, label }) => ({
                label,
                isOpen: tab === kind,
                link: { to: '/connections' as const, search: { tab: kind } },
              })),
            ]}
          />
        }
      >
        {given ? addGiven : add}
      </Bar>
      <main className={style.main}>
        {status === 'failed' && (
          <div className={style.notice}>
            <Problem>{endingWords(error)}</Problem>
          </div>
        )}
        {cannotSee !== undefined ? (
          <NotAllowed says={cannotSee} />
        ) : given ? (
          <given.Tab add={addGiven} unable={cannotGive} close={close} />
        ) : tab === 'catalogue' ? (
          <Catalogue onNew={open} />
        ) : (
          <Connected add={add} />
        )}
      </main>
      {(making === 'mcp' || making === 'api') && <NewConnection kind={making} onClose={close} />}
    </>
  )
}

function Connected({ add }: { add: React.ReactNode }) {
  const { search, state } = route.useSearch()
  const navigate = route.useNavigate()
  const input = { ...(search !== undefined && { search }), ...(state !== undefined && { status: state }), limit: 100 }
  const connections = useQuery(connectionsQuery(input))
  const body = useConnectionKeys()
  const choose = (changes: Partial<ConnectionsSearch>) =>
    void navigate({
      search: (now) => ({ ...now, status: undefined, error: undefined, ...changes }),
      replace: true,
    })
  return (
    <>
      <section className={style.filters} aria-label="Filters">
        <SearchField
          value={search ?? ''}
          what="connections"
          where="Connections"
          hint="Name, provider or URL"
          onChange={(words) => choose({ search: words === '' ? undefined : words })}
        />
        <ChoiceFilter
          label="State"
          none="all"
          choices={connectionStates.map((each) => ({ value: each, label: stateWord(each) }))}
          value={state}
          onChange={(each) => choose({ state: each as Connection['status'] })}
        />
        <span className={style.gap} />
        {connections.data && (
          <span className="dim small" aria-live="polite">
            {counted(connections.data.total, 'connection')}
          </span>
        )}
        <CopyAs operation="listConnections" input={input} />
      </section>
      <Shown query={connections} what="connections">
        {({ integrations: rows }) =>
          rows.length === 0 ? (
            search === undefined && state === undefined ? (
              <Empty
                icon="connections"
                title="Nothing is connected"
                action={add}
                command="runyard call listConnectionProviders"
              >
                A connection is an account at another service, an MCP server or an API with a key. Agents use it without
                seeing its credential.
              </Empty>
            ) : (
              <Empty icon="search" title="No connection fits">
                <Link className="link" to="/connections">
                  Show all connections
                </Link>
              </Empty>
            )
          ) : (
            <div className={style.scroll}>
              <table className={classes(table.table, style.table)}>
                <thead>
                  <tr>
                    <th scope="col">Connection</th>
                    <th scope="col">State</th>
                    <th scope="col">Account</th>
                    <th scope="col">Tools</th>
                    <th scope="col">Last used</th>
                  </tr>
                </thead>
                <tbody ref={body}>
                  {rows.map((row) => (
                    <ConnectionRow key={row.id} connection={row} />
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Shown>
    </>
  )
}

const kinds: Record<Connection['type'], string> = {
  native: 'account',
  mcp: 'MCP server',
  custom_mcp: 'MCP server',
  api: 'API',
}

function ConnectionRow({ connection }: { connection: Connection }) {
  const { id, name, type, provider, server_url: url, status, account, tools_count: tools, shared } = connection
  return (
    <tr>
      <td>
        <Link
          className={style.name}
          to="/connections/$connectionId"
          params={{ connectionId: id }}
          data-row="connection"
        >
          {visible(name)}
        </Link>{' '}
        {!shared && <Tag>private</Tag>}
        <div className={style.detail}>
          {kinds[type]} · {visible(url ?? provider)}
        </div>
      </td>
      <td data-label="State">
        <ConnectionState status={status} />
        {status === 'action_required' && connection.broken_reason !== null && (
          <div className={style.broken}>{visible(connection.broken_reason)}</div>
        )}
      </td>
      <td data-label="Account">{account === null ? <span className="dim">none</span> : visible(account)}</td>
      <td data-label="Tools">{tools ?? <span className="dim">–</span>}</td>
      <td data-label="Last used">
        {connection.last_used_at === null ? <span className="dim">never</span> : <Time at={connection.last_used_at} />}
      </td>
    </tr>
  )
}
