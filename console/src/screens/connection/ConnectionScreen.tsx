// One connection: whether it works, whose account it is, what breaks without it, its tools and its credential.
import type { Connection } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Bar, Crumbs } from '../../app/Bar.tsx'
import { useSession } from '../../app/session.tsx'
import { endingWords } from '../../parts/connections/authorize.ts'
import { ConnectionState } from '../../parts/connections/ConnectionState.tsx'
import { CopyAs } from '../../parts/CopyAs.tsx'
import { Problem } from '../../parts/Field.tsx'
import { Failed, NotAllowed, Skeleton } from '../../parts/states.tsx'
import { Tag } from '../../parts/Tag.tsx'
import { visible } from '../../parts/visibleText.ts'
import { connectionQuery } from '../../queries/connections.ts'
import { Actions } from './Actions.tsx'
import { Broken } from './Broken.tsx'
import style from './ConnectionScreen.module.css'
import { Credential } from './Credential.tsx'
import { Dependents } from './Dependents.tsx'
import { Facts } from './Facts.tsx'
import { Tools } from './Tools.tsx'
import { Waited } from './Waited.tsx'

const route = getRouteApi('/frame/connections/$connectionId')

const BackToConnections = () => <Link to="/connections">Connections</Link>

export function ConnectionScreen() {
  const { connectionId } = route.useParams()
  const cannot = useSession().unable('connections:read')
  const connection = useQuery({ ...connectionQuery(connectionId), enabled: cannot === undefined })
  if (connection.data) return <Shown key={connectionId} connection={connection.data} />
  return (
    <>
      <Bar title={<Crumbs back={<BackToConnections />} here="" />} />
      <main className={style.page}>
        {cannot !== undefined ? (
          <NotAllowed says={cannot} />
        ) : connection.error ? (
          <Failed error={connection.error} onRetry={() => void connection.refetch()} />
        ) : (
          <Skeleton what="the connection" />
        )}
      </main>
    </>
  )
}

function Shown({ connection }: { connection: Connection }) {
  const { status, error } = route.useSearch()
  const { id, name, type, shared } = connection
  const isMcp = type === 'mcp' || type === 'custom_mcp'
  return (
    <>
      <Bar
        isCrowded
        title={<Crumbs back={<BackToConnections />} here={<span className="cut">{visible(name)}</span>} />}
      >
        <span className={style.wide}>
          <CopyAs operation="getConnection" params={{ connection_id: id }} />
        </span>
        <Actions connection={connection} />
      </Bar>
      <main className={style.page}>
        <p className={style.state}>
          <ConnectionState status={connection.status} />
          {!shared && <Tag title="Only runs that act for its maker alone can use it.">private</Tag>}
          {connection.account !== null && <span className="sub">as {visible(connection.account)}</span>}
        </p>
        {status === 'failed' && <Problem>{endingWords(error)}</Problem>}
        {connection.status === 'action_required' && <Broken connection={connection} />}
        <Waited connection={connection} wasConnected={status === 'connected'} />
        <div className={style.columns}>
          <div className={style.column}>
            <Dependents connectionId={id} />
            {isMcp ? <Tools connection={connection} /> : null}
          </div>
          <div className={style.column}>
            <Facts connection={connection} />
            <Credential connection={connection} />
          </div>
        </div>
      </main>
    </>
  )
}
