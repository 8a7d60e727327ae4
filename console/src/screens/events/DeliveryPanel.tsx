// One delivery: to whom, what it sends, and every attempt with the time of each stage and what the receiver answered.
import type { DeliveryAttempt, DeliveryWithAttempts } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useKeys } from '../../app/keys.ts'
import { counted, duration } from '../../parts/amounts.ts'
import { Button, ButtonLink } from '../../parts/Button.tsx'
import { CopyAs } from '../../parts/CopyAs.tsx'
import { CopyText } from '../../parts/CopyText.tsx'
import { DeliveryTag } from '../../parts/events/DeliveryTags.tsx'
import { useResend } from '../../parts/events/useResend.ts'
import { Json } from '../../parts/Json.tsx'
import { LongText } from '../../parts/LongText.tsx'
import { Shown } from '../../parts/states.tsx'
import { Tag } from '../../parts/Tag.tsx'
import { Time } from '../../parts/Time.tsx'
import { visible } from '../../parts/visibleText.ts'
import { deliveryQuery, deliveryRequestQuery } from '../../queries/events.ts'
import style from './Deliveries.module.css'
import { TimingBar } from './TimingBar.tsx'

const route = getRouteApi('/frame/events')

export function DeliveryPanel({ id }: { id: string }) {
  const delivery = useQuery(deliveryQuery(id))
  const { delivery: _, ...search } = route.useSearch()
  const navigate = route.useNavigate()
  useKeys([{ keys: 'Escape', says: 'Close the delivery', where: 'Events', run: () => void navigate({ search }) }])
  return (
    <aside className={style.panel} aria-label="Delivery">
      <Shown query={delivery} what="the delivery" rows={6}>
        {(found) => (
          <>
            <Head delivery={found} />
            <Attempts attempts={found.log} />
            <Sent id={id} />
          </>
        )}
      </Shown>
    </aside>
  )
}

function Head({ delivery }: { delivery: DeliveryWithAttempts }) {
  const { delivery: _, ...search } = route.useSearch()
  const again = useResend()
  const { id, event, status, url, run_id: runId, created_at: at, attempts, next_attempt_at: next, reason } = delivery
  const isOver = status === 'delivered' || status === 'dead'
  return (
    <>
      <header className={style.head}>
        <h2>
          <code>{event}</code>
        </h2>
        <DeliveryTag status={status} />
        <span className={style.gap} />
        <Button
          icon="retry"
          isBusy={again.isPending}
          unable={isOver ? undefined : 'It is still on its way, and is sent by itself.'}
          onClick={() => again.mutate(delivery)}
        >
          Send again
        </Button>
        <CopyAs isSmall operation="replayWebhookDelivery" params={{ delivery_id: id }} />
        <ButtonLink kind="quiet" icon="cross" to="/events" search={search} aria-label="Close the delivery" />
      </header>
      {reason !== null && <p className={style.reason}>{visible(reason)}</p>}
      <dl className={style.facts}>
        <dt>Receiver</dt>
        <dd>
          {delivery.subscription_id === null ? 'callback ' : ''}
          {visible(url)}
        </dd>
        {runId !== null && (
          <>
            <dt>Run</dt>
            <dd>
              <Link className="link" to="/runs/$runId" params={{ runId }} search={{ tab: 'events' }}>
                …{runId.slice(-8)}
              </Link>
            </dd>
          </>
        )}
        <dt>Event</dt>
        <dd>
          <Time at={at} />
        </dd>
        <dt>Attempts</dt>
        <dd>
          {attempts}
          {next !== null && (
            <>
              , next <Time at={next} />
            </>
          )}
        </dd>
        <dt>Id</dt>
        <dd>
          <CopyText text={id} what="delivery id" />
        </dd>
      </dl>
    </>
  )
}

function Attempts({ attempts }: { attempts: DeliveryAttempt[] }) {
  return (
    <section className={style.section} aria-label="Attempts">
      <h3>{attempts.length === 0 ? 'Not tried yet' : counted(attempts.length, 'attempt')}</h3>
      <ol reversed>
        {attempts.map((attempt, at) => <AttemptItem key={attempt.at} attempt={attempt} number={at + 1} />).toReversed()}
      </ol>
    </section>
  )
}

function AttemptItem({ attempt, number }: { attempt: DeliveryAttempt; number: number }) {
  const { at, ok, status, stage, error, latency_ms: ms, answer, timing } = attempt
  return (
    <li className={style.attempt}>
      <p className={style.line}>
        <b>Attempt {number}</b>
        {ok ? <Tag>{status}</Tag> : <Tag tone="fail">{status ?? stage}</Tag>}
        <span className="dim">
          <Time at={at} />, {duration(ms)}
        </span>
      </p>
      {error !== null && <p className={style.wrong}>{visible(error)}</p>}
      {timing && <TimingBar timing={timing} failedAt={ok ? undefined : (stage ?? undefined)} />}
      {answer !== null && (
        <details className={style.answer} open={!ok}>
          <summary>What the receiver answered</summary>
          <pre>
            <LongText text={answer} write={visible} />
          </pre>
        </details>
      )}
    </li>
  )
}

function Sent({ id }: { id: string }) {
  const request = useQuery(deliveryRequestQuery(id))
  return (
    <section className={style.section} aria-label="What is sent">
      <h3>What is sent</h3>
      <Shown query={request} what="the body" rows={3}>
        {({ body, truncated }) =>
          body === null ? (
            <p className="dim small">The event was erased after its time, and with it what was sent.</p>
          ) : (
            <>
              <Json value={parsed(body)} rows={60} />
              {truncated && <p className="dim small">Only the first 256 KiB are shown.</p>}
            </>
          )
        }
      </Shown>
      <p className="dim small">The same at every attempt. Each attempt has its own signature, which is not shown.</p>
    </section>
  )
}

/** A body that is cut is text. */
function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return body
  }
}
