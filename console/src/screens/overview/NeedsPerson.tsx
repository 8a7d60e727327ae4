// Connections that must be authorised again, and webhook targets that do not answer.
import type { GetOverviewAnswer } from '@runyard/sdk'
import { Link } from '@tanstack/react-router'
import { Icon } from '../../look/Icon.tsx'
import { counted } from '../../parts/amounts.ts'
import { Card } from '../../parts/Card.tsx'
import { Time } from '../../parts/Time.tsx'
import rows from './rows.module.css'

interface NeedsPersonProps {
  connections: GetOverviewAnswer['connections']
  targets: GetOverviewAnswer['delivery_targets']
}

/** Nothing is shown where nothing is wrong. */
export function NeedsPerson({ connections, targets }: NeedsPersonProps) {
  if (!connections?.length && !targets?.length) return null
  return (
    <Card title="Needs a person">
      <ul className={rows.rows}>
        {connections?.map(({ connection_id, name, broken_reason, broken_at }) => (
          <li key={connection_id} className={rows.row} title={broken_reason ?? undefined}>
            <Icon name="connections" />
            <Link
              className={`${rows.name} ${rows.wide}`}
              to="/connections/$connectionId"
              params={{ connectionId: connection_id }}
            >
              {name}: sign in again
            </Link>
            <span className={rows.when}>{broken_at && <Time at={broken_at} />}</span>
          </li>
        ))}
        {targets?.map(({ target, kind, retrying, dead, oldest_waiting_at }) => (
          <li key={`${kind} ${target}`} className={rows.row}>
            <Icon name="events" />
            <Link className={`${rows.name} ${rows.wide}`} to="/events" search={{ tab: 'receivers' }}>
              {target} fails
            </Link>
            <span className={rows.said}>
              {counted(retrying + dead, 'delivery', 'deliveries')}
              {oldest_waiting_at && (
                <>
                  {' '}
                  since <Time at={oldest_waiting_at} kind="clock" />
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
