// The deliveries of the team, newest first, and beside them the one that is open.
import type { Delivery } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useCommands } from '../../app/commands.ts'
import { useSession } from '../../app/session.tsx'
import { classes } from '../../look/classes.ts'
import table from '../../parts/Table.module.css'
import { counted } from '../../parts/amounts.ts'
import { Button } from '../../parts/Button.tsx'
import { ChoiceFilter } from '../../parts/ChoiceFilter.tsx'
import { CopyAs } from '../../parts/CopyAs.tsx'
import look from '../../parts/events/EventRow.module.css'
import { deliveryWord, DeliveryTag } from '../../parts/events/DeliveryTags.tsx'
import { Pages } from '../../parts/Pages.tsx'
import { Empty, NotAllowed, Shown } from '../../parts/states.tsx'
import { Time } from '../../parts/Time.tsx'
import { visible } from '../../parts/visibleText.ts'
import { deliveriesQuery, deliveryTargetsQuery } from '../../queries/events.ts'
import style from './Deliveries.module.css'
import { DeliveryPanel } from './DeliveryPanel.tsx'
import list from './EventsScreen.module.css'
import { receiverChoice } from './receiverChoice.ts'
import { ResendFailed } from './ResendFailed.tsx'
import { RunFilter } from './RunFilter.tsx'
import { deliveryStates, eventKinds, type EventsSearch } from './search.ts'
import { useEventRowKeys } from './useEventRowKeys.ts'

const route = getRouteApi('/frame/events')
const pageSize = 50

export function Deliveries() {
  const cannot = useSession().unable('webhooks:manage')
  return cannot === undefined ? <DeliveryList /> : <NotAllowed says={cannot} />
}

function DeliveryList() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { event, run, status, receiver, page = 0, delivery: opened } = search
  const input = {
    ...(event !== undefined && { event }),
    ...(run !== undefined && { run_id: run }),
    ...(status !== undefined && { status }),
    ...(receiver !== undefined && { subscription_id: receiver }),
    limit: pageSize,
    offset: page * pageSize,
  }
  const deliveries = useQuery(deliveriesQuery(input))
  const { data: targets = [] } = useQuery(deliveryTargetsQuery)
  const [isResending, setResending] = useState(false)
  const choose = (changes: Partial<EventsSearch>) =>
    void navigate({ search: (now) => ({ ...now, page: undefined, delivery: undefined, ...changes }) })
  const body = useEventRowKeys('delivery')
  useCommands([
    { id: 'resend-failed', label: 'Resend failed deliveries', icon: 'retry', run: () => setResending(true) },
  ])
  const isFiltered = [event, run, status, receiver].some((filter) => filter !== undefined)
  return (
    <>
      <section className={list.filters} aria-label="Filters">
        <ChoiceFilter
          label="State"
          none="all"
          choices={deliveryStates.map((state) => ({ value: state, label: deliveryWord(state) }))}
          value={status}
          onChange={(state) => choose({ status: state as Delivery['status'] })}
        />
        <ChoiceFilter
          label="Kind"
          none="all"
          choices={eventKinds.map((kind) => ({ value: kind, label: kind }))}
          value={event}
          onChange={(kind) => choose({ event: kind as Delivery['event'] })}
        />
        <ChoiceFilter
          label="Receiver"
          none="all"
          choices={targets.filter(({ kind }) => kind === 'subscription').map(receiverChoice)}
          value={receiver}
          onChange={(id) => choose({ receiver: id })}
        />
        {run !== undefined && <RunFilter run={run} onRemove={() => choose({ run: undefined })} />}
        <span className={list.gap} />
        <Button icon="retry" onClick={() => setResending(true)}>
          Resend failed
        </Button>
        <CopyAs operation="listWebhookDeliveries" input={input} />
      </section>
      <div className={classes(style.both, opened !== undefined && style.hasPanel)}>
        <div className={style.list}>
          <Shown query={deliveries} what="deliveries" rows={14}>
            {({ deliveries: rows, total }) =>
              rows.length === 0 ? (
                <NoDeliveries isFiltered={isFiltered} />
              ) : (
                <>
                  <div className={list.scroll}>
                    <table className={classes(table.table, list.table)}>
                      <caption className="forReaders">Deliveries, newest first</caption>
                      <thead>
                        <tr>
                          <th scope="col">Delivery</th>
                          <th scope="col">State</th>
                          <th scope="col">Attempts</th>
                          <th scope="col">Event</th>
                        </tr>
                      </thead>
                      <tbody ref={body}>
                        {rows.map((row) => (
                          <DeliveryRow key={row.id} delivery={row} isOpen={row.id === opened} />
                        ))}
                      </tbody>
                    </table>
                  </div>
                  <footer className={list.foot}>
                    <span className={list.gap} />
                    <Pages
                      page={page}
                      size={pageSize}
                      total={total}
                      linkTo={(to) => ({
                        to: '/events',
                        search: { ...search, page: to === 0 ? undefined : to } as EventsSearch,
                      })}
                    />
                  </footer>
                </>
              )
            }
          </Shown>
        </div>
        {opened !== undefined && <DeliveryPanel key={opened} id={opened} />}
      </div>
      {isResending && <ResendFailed receiver={receiver} onClose={() => setResending(false)} />}
    </>
  )
}

function DeliveryRow({ delivery, isOpen }: { delivery: Delivery; isOpen: boolean }) {
  const search = route.useSearch()
  const { id, url, event, status, attempts, next_attempt_at: next, created_at: made } = delivery
  return (
    <tr className={classes(isOpen && table.chosen)}>
      <td>
        <Link
          className={style.receiver}
          to="/events"
          search={{ ...search, delivery: id }}
          replace
          resetScroll={false}
          aria-current={isOpen ? 'true' : undefined}
          data-row="delivery"
          title={url}
        >
          {delivery.subscription_id === null && <span className="dim">callback </span>}
          {visible(url.replace(/^https?:\/\//, ''))}
        </Link>
        <div className={style.kind}>
          <code>{event}</code>
        </div>
      </td>
      <td>
        <DeliveryTag status={status} />
      </td>
      <td className="small">
        {counted(attempts, 'attempt')}
        {next !== null && (
          <div className="dim">
            next <Time at={next} />
          </div>
        )}
      </td>
      <td className={look.when}>
        <Time at={made} />
      </td>
    </tr>
  )
}

function NoDeliveries({ isFiltered }: { isFiltered: boolean }) {
  return isFiltered ? (
    <Empty icon="search" title="No delivery fits">
      <Link className="link" to="/events" search={{ tab: 'deliveries' }}>
        Show all deliveries
      </Link>
    </Empty>
  ) : (
    <Empty
      icon="events"
      title="No deliveries yet"
      command={`runyard call createWebhook --url https://hooks.example.com/runyard --events '["run.failed"]'`}
    >
      A webhook gets the events of the team, the callback URL of a run those of that run. Each event is sent until it is
      accepted, for three days.
    </Empty>
  )
}
