// The event log of a run: what happened, in order, and what became of the deliveries of each event.
import type { GetRunAnswer, RunEvent } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useSetting, zoneOf } from '../../../app/settings.ts'
import { Icon } from '../../../look/Icon.tsx'
import { count } from '../../../parts/amounts.ts'
import { Button } from '../../../parts/Button.tsx'
import { DeliveryTags } from '../../../parts/events/DeliveryTags.tsx'
import look from '../../../parts/events/EventRow.module.css'
import { eventWords, stepOfEvent } from '../../../parts/events/eventWords.ts'
import { Json } from '../../../parts/Json.tsx'
import { Empty, Shown } from '../../../parts/states.tsx'
import { exactTime } from '../../../parts/Time.tsx'
import { visible } from '../../../parts/visibleText.ts'
import { eventsAPage, runEventsQuery } from '../../../queries/run.ts'
import { useRunAddress } from '../address.ts'
import { Deliveries } from './Deliveries.tsx'
import style from './Events.module.css'

export function Events({ run }: { run: GetRunAnswer['run'] }) {
  const { search, choose } = useRunAddress()
  const page = Math.max(1, search.page ?? 1)
  const events = useQuery(runEventsQuery(run.id, (page - 1) * eventsAPage))
  const goTo = (to: number) => choose({ page: to === 1 ? undefined : to })
  return (
    <Shown query={events} what="events">
      {({ events: rows, total }) =>
        total === 0 ? (
          <Empty icon="events" title="No events">
            Events are erased after their time. What the run did is still in its steps.
          </Empty>
        ) : (
          <div className={style.events}>
            <table className={style.table}>
              <caption className="forReaders">Events of the run</caption>
              <thead>
                <tr>
                  <th scope="col">Number</th>
                  <th scope="col">Event</th>
                  <th scope="col">When</th>
                  <th scope="col">Deliveries</th>
                </tr>
              </thead>
              {rows.map((event) => (
                <EventRow key={event.id} event={event} runId={run.id} />
              ))}
            </table>
            {total > eventsAPage && <Pages page={page} total={total} onPage={goTo} />}
          </div>
        )
      }
    </Shown>
  )
}

function Pages({ page, total, onPage }: { page: number; total: number; onPage: (page: number) => void }) {
  const last = Math.ceil(total / eventsAPage)
  const first = page <= 1 ? 'This is the first page.' : undefined
  const end = page >= last ? 'This is the last page.' : undefined
  const from = (page - 1) * eventsAPage
  return (
    <nav className={style.pages} aria-label="Pages of events">
      <Button unable={first} onClick={() => onPage(1)}>
        Oldest
      </Button>
      <Button unable={first} icon="left" onClick={() => onPage(page - 1)}>
        Older
      </Button>
      <span className="dim small">
        {count(from + 1)} to {count(Math.min(total, from + eventsAPage))} of {count(total)}
      </span>
      <Button unable={end} icon="right" onClick={() => onPage(page + 1)}>
        Newer
      </Button>
      <Button unable={end} onClick={() => onPage(last)}>
        Newest
      </Button>
    </nav>
  )
}

function EventRow({ event, runId }: { event: RunEvent; runId: string }) {
  const [isOpen, setOpen] = useState(false)
  const { linkTo } = useRunAddress()
  const timeZone = zoneOf(useSetting('zone'))
  const words = eventWords(event.event, event.data)
  const step = stepOfEvent(event.data)
  return (
    <tbody>
      <tr>
        <td className="dim">{event.sequence}</td>
        <td>
          <button type="button" className={look.open} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            <Icon name={isOpen ? 'down' : 'right'} size={13} />
            <code>{event.event}</code>
          </button>
          {words !== undefined && <span className={look.words}>{visible(words)}</span>}
          {step !== undefined && (
            <Link className="link small" {...linkTo({ step })}>
              step {step}
            </Link>
          )}
        </td>
        <td className={look.when}>
          <time dateTime={event.created_at} title={exactTime(event.created_at, timeZone)}>
            {new Date(event.created_at).toLocaleTimeString('en-GB', { timeZone })}
          </time>
        </td>
        <td>
          <DeliveryTags of={event.deliveries} />
        </td>
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={4} className={style.inside}>
            {event.deliveries.total > 0 && <Deliveries runId={runId} event={event} />}
            <Json value={event.data} rows={80} />
          </td>
        </tr>
      )}
    </tbody>
  )
}
