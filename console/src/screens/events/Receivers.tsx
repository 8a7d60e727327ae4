// Who receives the events, and how they do. Settings are changed over the API: what a setting would be is a call to copy.
import type { DeliveryTarget } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useSession } from '../../app/session.tsx'
import { StatusShape } from '../../look/StatusShape.tsx'
import { count, duration } from '../../parts/amounts.ts'
import { Button } from '../../parts/Button.tsx'
import { Card } from '../../parts/Card.tsx'
import { CopyAs } from '../../parts/CopyAs.tsx'
import { CopyText } from '../../parts/CopyText.tsx'
import { Empty, NotAllowed, Shown } from '../../parts/states.tsx'
import { Time, useNow } from '../../parts/Time.tsx'
import { visible } from '../../parts/visibleText.ts'
import { deliveryTargetsQuery } from '../../queries/events.ts'
import { healthOf } from './health.ts'
import style from './Receivers.module.css'
import { ResendFailed } from './ResendFailed.tsx'

export function Receivers() {
  const cannot = useSession().unable('webhooks:manage')
  return cannot === undefined ? <ReceiverList /> : <NotAllowed says={cannot} />
}

function ReceiverList() {
  const targets = useQuery(deliveryTargetsQuery)
  const [resending, setResending] = useState<string>()
  return (
    <div className={style.page}>
      <Shown query={targets} what="receivers">
        {(all) =>
          all.length === 0 ? (
            <Empty
              icon="events"
              title="Nobody receives events"
              command={`runyard call createWebhook --url https://hooks.example.com/runyard --events '["run.failed"]'`}
            >
              A webhook is a URL of yours that gets the events of the team, signed. It is made over the API.
            </Empty>
          ) : (
            <div className={style.cards}>
              {all.map((target) => (
                <Receiver key={target.id} target={target} onResend={() => setResending(target.id)} />
              ))}
              <Settings />
            </div>
          )
        }
      </Shown>
      {resending !== undefined && <ResendFailed receiver={resending} onClose={() => setResending(undefined)} />}
    </div>
  )
}

function Receiver({ target, onResend }: { target: DeliveryTarget; onResend: () => void }) {
  const { shape, says } = healthOf(target)
  const now = useNow(5000)
  const isWebhook = target.kind === 'subscription'
  const tried = target.delivered + target.failed
  const inState = (status: 'new' | 'retrying' | 'dead') =>
    ({ tab: 'deliveries', status, ...(isWebhook && { receiver: target.id }) }) as const
  return (
    <section className={`card ${style.receiver}`} aria-label={visible(target.url)}>
      <header className={style.head}>
        <StatusShape shape={shape} />
        <h2>{visible(target.url)}</h2>
        <span className="dim small">{isWebhook ? 'webhook' : 'callback of runs'}</span>
        {isWebhook && <CopyText text={target.id} what="webhook id" shown="" />}
      </header>
      <p className={style.says}>
        {says}
        {target.failing_since !== null && target.active && (
          <>
            {' '}
            since <Time at={target.failing_since} kind="clock" />
          </>
        )}
        {target.disabled_reason !== null && !target.active && <> {visible(target.disabled_reason)}</>}
        {target.paused_until !== null && Date.parse(target.paused_until) > now && (
          <>
            , next try <Time at={target.paused_until} />
          </>
        )}
      </p>
      <dl className={style.facts}>
        <div>
          <dt>Accepted</dt>
          <dd>{tried === 0 ? 'nothing yet' : `${count(target.delivered)} of ${count(tried)}`}</dd>
        </div>
        <div>
          <dt>Median time</dt>
          <dd>{target.median_ms === null ? 'unknown' : duration(target.median_ms)}</dd>
        </div>
        <div>
          <dt>Last accepted</dt>
          <dd>{target.last_delivered_at === null ? 'never' : <Time at={target.last_delivered_at} />}</dd>
        </div>
        {(['new', 'retrying', 'dead'] as const).map((state) => (
          <div key={state}>
            <dt>{{ new: 'To be sent', retrying: 'Tried again', dead: 'Given up' }[state]}</dt>
            <dd>
              <Link className="link" to="/events" search={inState(state)}>
                {count({ new: target.waiting, retrying: target.retrying, dead: target.dead }[state])}
              </Link>
            </dd>
          </div>
        ))}
      </dl>
      {isWebhook && (
        <footer className={style.acts}>
          <Button
            icon="retry"
            unable={target.dead === 0 ? 'Nothing to it was given up.' : undefined}
            onClick={onResend}
          >
            Resend failed
          </Button>
          <span className={style.setting}>
            {target.active ? 'Switch it off' : 'Switch it on'}{' '}
            <CopyAs
              isSmall
              operation="updateWebhook"
              params={{ subscriptionId: target.id }}
              input={{ active: !target.active }}
            />
          </span>
          <span className={style.setting}>
            Send a sample <CopyAs isSmall operation="testWebhook" params={{ subscription_id: target.id }} />
          </span>
          <span className={style.setting}>
            Delete it <CopyAs isSmall operation="deleteWebhook" params={{ subscriptionId: target.id }} />
          </span>
        </footer>
      )}
    </section>
  )
}

/** Nothing here makes or changes a webhook, or shows its secret. */
function Settings() {
  const example = { url: 'https://hooks.example.com/runyard', events: ['run.completed', 'run.failed'] }
  return (
    <Card title="Settings">
      <ul className={style.settings}>
        <li>
          Make a webhook <CopyAs isSmall operation="createWebhook" input={example} />
        </li>
        <li>
          List webhooks <CopyAs isSmall operation="listWebhooks" />
        </li>
        <li>
          Get a new signing secret{' '}
          <CopyAs isSmall operation="rotateWebhookSecret" input={{ overlap_seconds: 86_400 }} />
        </li>
      </ul>
      <p className={style.note}>
        This screen is a log. Webhooks are made and changed over the API, and their secret is read there.
      </p>
    </Card>
  )
}
