// The deliveries of one event: to whom, how often, and what became of them.
import type { Delivery, RunEvent } from '@runyard/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { runyard } from '../../../app/client.ts'
import { useSession } from '../../../app/session.tsx'
import { counted } from '../../../parts/amounts.ts'
import { Button } from '../../../parts/Button.tsx'
import { CopyText } from '../../../parts/CopyText.tsx'
import { Shown } from '../../../parts/states.tsx'
import { Tag } from '../../../parts/Tag.tsx'
import { Time } from '../../../parts/Time.tsx'
import { toast, toastError } from '../../../parts/toasts.tsx'
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
              <DeliveryItem key={delivery.id} delivery={delivery} runId={runId} />
            ))}
        </ul>
      )}
    </Shown>
  )
}

const words: Record<Delivery['status'], { says: string; tone?: 'wait' | 'fail' }> = {
  new: { says: 'to be sent' },
  retrying: { says: 'tried again', tone: 'wait' },
  replaying: { says: 'sent again', tone: 'wait' },
  delivered: { says: 'delivered' },
  dead: { says: 'given up', tone: 'fail' },
}

function DeliveryItem({ delivery, runId }: { delivery: Delivery; runId: string }) {
  const queries = useQueryClient()
  const again = useMutation({
    mutationFn: () => runyard.deliveries.replay(delivery.id),
    onSuccess: () => {
      toast('The event is sent again')
      return queries.invalidateQueries({ queryKey: ['run', runId] })
    },
    onError: (error) => toastError('The event could not be sent again', error),
  })
  const { says, tone } = words[delivery.status]
  return (
    <li>
      <Tag tone={tone}>{says}</Tag>
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
      {delivery.status === 'dead' && (
        <Button icon="retry" isBusy={again.isPending} onClick={() => again.mutate()}>
          Send again
        </Button>
      )}
    </li>
  )
}
