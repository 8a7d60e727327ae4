// The deliveries of one event: to whom, how often, and what became of them.
import type { Delivery, RunEvent } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useSession } from '../../../app/session.tsx'
import { counted } from '../../../parts/amounts.ts'
import { Button } from '../../../parts/Button.tsx'
import { CopyText } from '../../../parts/CopyText.tsx'
import { DeliveryTag } from '../../../parts/events/DeliveryTags.tsx'
import { useResend } from '../../../parts/events/useResend.ts'
import { Shown } from '../../../parts/states.tsx'
import { Time } from '../../../parts/Time.tsx'
import { visible } from '../../../parts/visibleText.ts'
import { runDeliveriesQuery } from '../../../queries/run.ts'
import style from './Deliveries.module.css'

export function Deliveries({ runId, event }: { runId: string; event: RunEvent }) {
  const cannot = useSession().unable('webhooks:manage')
  const deliveries = useQuery({ ...runDeliveriesQuery(runId, event.event), enabled: cannot === undefined })
  if (cannot !== undefined) return <p className="dim small">{cannot}</p>
  return (
    <Shown query={deliveries} what="deliveries" rows={2}>
      {(all) => (
        <ul className={style.deliveries} aria-label="Deliveries">
          {all
            .filter(({ event_id: id }) => id === event.id)
            .map((delivery) => (
              <DeliveryItem key={delivery.id} delivery={delivery} />
            ))}
        </ul>
      )}
    </Shown>
  )
}

function DeliveryItem({ delivery }: { delivery: Delivery }) {
  const again = useResend()
  return (
    <li>
      <DeliveryTag status={delivery.status} />
      <span className="cut" title={delivery.url}>
        {delivery.subscription_id === null ? 'callback ' : ''}
        {visible(delivery.url)}
      </span>
      <span className="dim">
        {counted(delivery.attempts, 'attempt')}
        {delivery.next_attempt_at !== null && (
          <>
            , next <Time at={delivery.next_attempt_at} />
          </>
        )}
      </span>
      {delivery.reason !== null && <span className={style.reason}>{visible(delivery.reason)}</span>}
      <CopyText text={delivery.id} what="delivery id" shown="" />
      <Link className="link" to="/events" search={{ tab: 'deliveries', delivery: delivery.id }}>
        Attempts
      </Link>
      {delivery.status === 'dead' && (
        <Button icon="retry" isBusy={again.isPending} onClick={() => again.mutate(delivery)}>
          Send again
        </Button>
      )}
    </li>
  )
}
