// What came in for a trigger lately, what became of each, and a way to send one through it again.
import type { Trigger, TriggerDelivery } from '@runyard/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Fragment, useState } from 'react'
import { runyard } from '../../../app/client.ts'
import { useSession } from '../../../app/session.tsx'
import { classes } from '../../../look/classes.ts'
import { Button } from '../../../parts/Button.tsx'
import { count } from '../../../parts/amounts.ts'
import { CopyAs } from '../../../parts/CopyAs.tsx'
import { Json } from '../../../parts/Json.tsx'
import { Failed, Shown, Skeleton } from '../../../parts/states.tsx'
import { Switch } from '../../../parts/Switch.tsx'
import { Tag } from '../../../parts/Tag.tsx'
import { Time } from '../../../parts/Time.tsx'
import { toast, toastError } from '../../../parts/toasts.tsx'
import { triggerDeliveriesQuery, triggerDeliveryQuery, triggersQuery } from '../../../queries/triggers.ts'
import { brief } from '../../agents/brief.ts'
import { deliveryStates } from '../search.ts'
import tab from '../tab.module.css'
import { nameOf, statusWords } from './triggerWords.ts'
import style from './TriggersTab.module.css'

const route = getRouteApi('/frame/agents/$agentId')
const shownMax = 50

export function Deliveries({ trigger, onClose }: { trigger: Trigger; onClose: () => void }) {
  const { delivered } = route.useSearch()
  const deliveries = useQuery(
    triggerDeliveriesQuery(trigger.id, { limit: shownMax, ...(delivered && { status: delivered }) }),
  )
  const choices = [undefined, ...deliveryStates].map((status) => ({
    label: status === undefined ? 'all' : statusWords[status].says,
    isOpen: status === delivered,
    link: { from: '/agents/$agentId', to: '.', search: (now: object) => ({ ...now, delivered: status }) } as const,
  }))
  return (
    <section aria-label={`Deliveries to ${brief(nameOf(trigger))}`}>
      <header className={tab.head}>
        <h2>Deliveries to {brief(nameOf(trigger))}</h2>
        <Switch label="Which deliveries" choices={choices} />
        <span className={tab.gap} />
        <CopyAs operation="listTriggerDeliveries" params={{ trigger_id: trigger.id }} />
        <Button kind="quiet" icon="cross" aria-label="Hide deliveries" onClick={onClose} />
      </header>
      <Shown query={deliveries} what="deliveries">
        {({ deliveries: rows, total }) =>
          rows.length === 0 ? (
            <p className={style.none}>
              {delivered
                ? 'None of them lately.'
                : 'Nothing has come in yet. Requests without a valid signature or secret are not stored.'}
            </p>
          ) : (
            <>
              <table className={classes(tab.table, tab.stacked)}>
                <thead>
                  <tr>
                    <th scope="col">Came</th>
                    <th scope="col">Result</th>
                    <th scope="col">Key</th>
                    <th scope="col">Run</th>
                    <th scope="col">
                      <span className="forReaders">Actions</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {rows.map((delivery) => (
                    <Row key={delivery.id} delivery={delivery} trigger={trigger} />
                  ))}
                </tbody>
              </table>
              {total > rows.length && (
                <p className={style.none}>
                  The newest {rows.length} of {count(total)}.
                </p>
              )}
            </>
          )
        }
      </Shown>
    </section>
  )
}

function Row({ delivery, trigger }: { delivery: TriggerDelivery; trigger: Trigger }) {
  const { unable } = useSession()
  const queries = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const { id, status, reason, key, run_id, replay_of, received_at } = delivery
  const replay = useMutation({
    mutationFn: () => runyard.triggers.replayDelivery(id),
    onSuccess() {
      void queries.invalidateQueries({ queryKey: ['trigger', trigger.id] })
      void queries.invalidateQueries({ queryKey: triggersQuery(trigger.agent_id).queryKey })
      toast('It is sent to the trigger again')
    },
    onError: (error) => toastError('It was not replayed', error),
  })
  const cannot =
    unable('agents:write') ??
    (status === 'waiting' ? 'It still waits for its turn.' : trigger.enabled ? undefined : 'The trigger is paused.')
  const { says, tone } = statusWords[status]
  return (
    <Fragment>
      <tr>
        <td>
          <button type="button" className={tab.open} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            <Time at={received_at} />
          </button>
        </td>
        <td>
          <Tag {...(tone && { tone })}>{says}</Tag> {replay_of !== null && <Tag>replay</Tag>}
          {reason !== null && <p className={tab.why}>{reason}</p>}
        </td>
        <td className={tab.long} data-label="Key">
          {key ?? <span className="dim">none</span>}
        </td>
        <td data-label="Run">
          {run_id === null ? (
            <span className="dim">none</span>
          ) : (
            <Link className="link" to="/runs/$runId" params={{ runId: run_id }}>
              Open the run
            </Link>
          )}
        </td>
        <td className={tab.actions}>
          <Button icon="retry" isBusy={replay.isPending} unable={cannot} onClick={() => replay.mutate()}>
            Replay
          </Button>
        </td>
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={5}>
            <Content deliveryId={id} />
          </td>
        </tr>
      )}
    </Fragment>
  )
}

function Content({ deliveryId }: { deliveryId: string }) {
  const { data, error, refetch } = useQuery(triggerDeliveryQuery(deliveryId))
  if (error) return <Failed error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton rows={3} what="the delivery" />
  return data.content === null ? <p className="dim">You may not read this event.</p> : <Json value={data.content} />
}
