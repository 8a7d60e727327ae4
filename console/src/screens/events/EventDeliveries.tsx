// The deliveries of one event of the log, each with the way to its attempts.
import type { TeamEvent } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { counted } from '../../parts/amounts.ts'
import { DeliveryTag } from '../../parts/events/DeliveryTags.tsx'
import { Shown } from '../../parts/states.tsx'
import { visible } from '../../parts/visibleText.ts'
import { deliveriesQuery } from '../../queries/events.ts'
import style from './EventsScreen.module.css'

export function EventDeliveries({ event }: { event: TeamEvent }) {
  const deliveries = useQuery(
    deliveriesQuery({ event: event.event, limit: 200, ...(event.run_id !== null && { run_id: event.run_id }) }),
  )
  return (
    <Shown query={deliveries} what="deliveries" rows={1}>
      {({ deliveries: all }) => (
        <ul className={style.inEvent} aria-label="Deliveries">
          {all
            .filter(({ event_id: id }) => id === event.id)
            .map(({ id, url, attempts, status }) => (
              <li key={id}>
                <DeliveryTag status={status} />
                <span className="cut">{visible(url)}</span>
                <Link className="link" to="/events" search={{ tab: 'deliveries', delivery: id }}>
                  {counted(attempts, 'attempt')}
                </Link>
              </li>
            ))}
        </ul>
      )}
    </Shown>
  )
}
