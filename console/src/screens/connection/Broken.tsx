// Why a connection no longer works, how many runs wait for it, and the button that ends that.
import type { Connection } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { counted } from '../../parts/amounts.ts'
import { Time } from '../../parts/Time.tsx'
import { visible } from '../../parts/visibleText.ts'
import { dependentsQuery } from '../../queries/connections.ts'
import style from './ConnectionScreen.module.css'
import { Reconnect } from './Reconnect.tsx'

export function Broken({ connection }: { connection: Connection }) {
  const { data } = useQuery(dependentsQuery(connection.id))
  const waiting = data?.waiting_runs_total ?? 0
  return (
    <section className={style.broken} aria-label="What is wrong">
      <p>
        {visible(connection.broken_reason ?? 'It must be authorised again.')}
        {connection.broken_at !== null && (
          <span className="sub">
            {' '}
            <Time at={connection.broken_at} />
          </span>
        )}
        <br />
        <span className="sub">
          {waiting === 0
            ? 'No run waits for it yet.'
            : `${counted(waiting, 'run waits', 'runs wait')}, and ${waiting === 1 ? 'continues' : 'continue'} when it works again.`}
        </span>
      </p>
      <Reconnect connection={connection} kind="go" />
    </section>
  )
}
