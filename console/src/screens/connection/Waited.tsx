// After a connection works again: the runs that waited for it, and how they continue.
import type { Connection } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link, getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { counted } from '../../parts/amounts.ts'
import { Button } from '../../parts/Button.tsx'
import { forgetWaiting, waitedFor } from '../../parts/connections/authorize.ts'
import { Status } from '../../parts/Status.tsx'
import { visible } from '../../parts/visibleText.ts'
import { runQuery } from '../../queries/runs.ts'
import { StatusShape } from '../../look/StatusShape.tsx'
import style from './ConnectionScreen.module.css'

const route = getRouteApi('/frame/connections/$connectionId')

export function Waited({ connection, wasConnected }: { connection: Connection; wasConnected: boolean }) {
  const navigate = route.useNavigate()
  const [isHidden, setHidden] = useState(false)
  // read again when the connection changes: a key may have been replaced in this page
  const runs = connection.status === 'active' ? waitedFor(connection.id) : []
  if (isHidden || connection.status !== 'active' || (runs.length === 0 && !wasConnected)) return null
  return (
    <section className={style.again} aria-label="It works again">
      <header>
        <StatusShape shape="pass" />
        <h2>
          {wasConnected ? 'Connected' : 'It works again'}
          {connection.account !== null && ` as ${visible(connection.account)}`}
        </h2>
        <Button
          kind="quiet"
          icon="cross"
          aria-label="Hide"
          onClick={() => {
            forgetWaiting(connection.id)
            setHidden(true)
            void navigate({ search: {}, replace: true })
          }}
        />
      </header>
      {runs.length > 0 && (
        <>
          <p className="sub small">
            {counted(runs.length, 'run that waited continues:', 'runs that waited continue:')}
          </p>
          <ul className={style.rows} aria-label="Runs that waited">
            {runs.map((id) => (
              <WaitedRun key={id} id={id} />
            ))}
          </ul>
        </>
      )}
    </section>
  )
}

function WaitedRun({ id }: { id: string }) {
  const { data } = useQuery({ ...runQuery(id), refetchInterval: 3000 })
  const run = data?.run
  return (
    <li>
      {run && <Status run={run} />}
      <Link className={`link ${style.name}`} to="/runs/$runId" params={{ runId: id }}>
        {run ? visible(run.title ?? id) : `…${id.slice(-8)}`}
      </Link>
      {run && <span className="dim small">{visible(run.agent_name)}</span>}
    </li>
  )
}
