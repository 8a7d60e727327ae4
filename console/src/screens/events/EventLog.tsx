// The event log: newest first, by kind, run and time. New events wait until somebody wants to see them.
import type { TeamEvent } from '@runyard/sdk'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useLiveEvents } from '../../app/live.tsx'
import { useSession } from '../../app/session.tsx'
import { classes } from '../../look/classes.ts'
import { Icon } from '../../look/Icon.tsx'
import table from '../../parts/Table.module.css'
import { counted } from '../../parts/amounts.ts'
import { ButtonLink } from '../../parts/Button.tsx'
import { ChoiceFilter } from '../../parts/ChoiceFilter.tsx'
import { CopyAs } from '../../parts/CopyAs.tsx'
import { CopyText } from '../../parts/CopyText.tsx'
import { DeliveryTags } from '../../parts/events/DeliveryTags.tsx'
import look from '../../parts/events/EventRow.module.css'
import { eventWords, stepOfEvent } from '../../parts/events/eventWords.ts'
import { Json } from '../../parts/Json.tsx'
import { Empty, Shown } from '../../parts/states.tsx'
import { Time } from '../../parts/Time.tsx'
import { visible } from '../../parts/visibleText.ts'
import { teamEventsQuery } from '../../queries/events.ts'
import { EventDeliveries } from './EventDeliveries.tsx'
import style from './EventsScreen.module.css'
import { RunFilter } from './RunFilter.tsx'
import { eventKinds, timeSpans, type EventsSearch, type TimeSpan } from './search.ts'
import { sinceOf, spanWords } from './timeSpan.ts'
import { useEventRowKeys } from './useEventRowKeys.ts'

const route = getRouteApi('/frame/events')
const pageSize = 100

export function EventLog() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const queries = useQueryClient()
  const { event, run, within, before } = search
  // the same until another span is chosen, or the page would be another one at every drawing
  const [span, setSpan] = useState({ within, since: sinceOf(within) })
  if (span.within !== within) setSpan({ within, since: sinceOf(within) })
  const input = {
    ...(event !== undefined && { event }),
    ...(run !== undefined && { run_id: run }),
    ...(span.since !== undefined && { since: span.since }),
    ...(before !== undefined && { before }),
    limit: pageSize,
  }
  const events = useQuery(teamEventsQuery(input))
  const [news, setNews] = useState(0)
  const wants = (name: string, runId: unknown) =>
    (event === undefined || event === name) && (run === undefined || run === runId) && before === undefined
  useLiveEvents(({ event: name, data }) => {
    if (eventKinds.some((kind) => kind === name) && wants(name, (data as { run_id?: string }).run_id))
      setNews((now) => now + 1)
  })
  const choose = (changes: EventsSearch) =>
    void navigate({ search: (now) => ({ ...now, before: undefined, open: undefined, ...changes }) })
  const body = useEventRowKeys('event')
  const showNews = () => {
    setNews(0)
    void queries.invalidateQueries({ queryKey: ['teamEvents'] })
  }
  return (
    <>
      <section className={style.filters} aria-label="Filters">
        <ChoiceFilter
          label="Kind"
          none="all"
          choices={eventKinds.map((kind) => ({ value: kind, label: kind }))}
          value={event}
          onChange={(kind) => choose({ event: kind as TeamEvent['event'] })}
        />
        <ChoiceFilter
          label="Time"
          none="all"
          choices={timeSpans.map((each) => ({ value: each, label: spanWords[each] }))}
          value={within}
          onChange={(each) => choose({ within: each as TimeSpan })}
        />
        {run !== undefined && <RunFilter run={run} onRemove={() => choose({ run: undefined })} />}
        {news > 0 && before === undefined && (
          <button type="button" className={style.news} onClick={showNews}>
            {counted(news, 'new event')}, show
          </button>
        )}
        <span className={style.gap} />
        <CopyAs operation="listTeamEvents" input={input} />
      </section>
      <Shown query={events} what="events" rows={14}>
        {({ events: rows, next_before: next, looked_until: until }) => (
          <>
            {rows.length === 0 ? (
              <NoEvents isFiltered={event !== undefined || run !== undefined || within !== undefined} until={until} />
            ) : (
              <div className={style.scroll}>
                <table className={classes(table.table, style.table)}>
                  <caption className="forReaders">Events, newest first</caption>
                  <thead>
                    <tr>
                      <th scope="col">Event</th>
                      <th scope="col">When</th>
                      <th scope="col">Run</th>
                      <th scope="col">Deliveries</th>
                    </tr>
                  </thead>
                  <tbody ref={body}>
                    {rows.map((row) => (
                      <EventRow key={row.id} event={row} />
                    ))}
                  </tbody>
                </table>
              </div>
            )}
            {(before !== undefined || next !== null) && (
              <footer className={style.foot}>
                <span className={style.gap}>
                  {until !== null && rows.length > 0 && (
                    <>
                      Looked back to <Time at={until} kind="clock" />
                    </>
                  )}
                </span>
                {before !== undefined && (
                  <ButtonLink to="/events" search={{ ...search, before: undefined, open: undefined } as EventsSearch}>
                    Newest
                  </ButtonLink>
                )}
                {next !== null && (
                  <ButtonLink to="/events" search={{ ...search, before: next, open: undefined } as EventsSearch}>
                    Older
                  </ButtonLink>
                )}
              </footer>
            )}
          </>
        )}
      </Shown>
    </>
  )
}

function NoEvents({ isFiltered, until }: { isFiltered: boolean; until: string | null }) {
  if (until !== null)
    return (
      <Empty icon="search" title="None so far">
        Nothing fits since <Time at={until} kind="clock" />. “Older” looks further back.
      </Empty>
    )
  return isFiltered ? (
    <Empty icon="search" title="No event fits">
      <Link className="link" to="/events">
        Show all events
      </Link>
    </Empty>
  ) : (
    <Empty icon="events" title="No events yet" command="runyard listen">
      Every change that others may want to know of is an event: a run that starts or ends, a question to a person, a
      case, a connection that broke. They are erased after their time.
    </Empty>
  )
}

function EventRow({ event }: { event: TeamEvent }) {
  const { open, ...search } = route.useSearch()
  const { unable } = useSession()
  const isOpen = open === event.id
  const words = eventWords(event.event, event.data)
  const step = stepOfEvent(event.data)
  return (
    <>
      <tr>
        <td>
          <Link
            className={look.open}
            to="/events"
            search={isOpen ? search : { ...search, open: event.id }}
            replace
            resetScroll={false}
            aria-expanded={isOpen}
            data-row="event"
          >
            <Icon name={isOpen ? 'down' : 'right'} size={13} />
            <code>{event.event}</code>
          </Link>
          {words !== undefined && <span className={look.words}>{visible(words)}</span>}
        </td>
        <td className={look.when}>
          <Time at={event.created_at} />
        </td>
        <td className="small">
          {event.run_id === null ? (
            <span className="dim">none</span>
          ) : (
            <Link
              className="link"
              to="/runs/$runId"
              params={{ runId: event.run_id }}
              search={step === undefined ? {} : { step }}
            >
              …{event.run_id.slice(-8)}
              {step !== undefined && `, step ${step}`}
            </Link>
          )}
        </td>
        <td>
          <DeliveryTags of={event.deliveries} />
        </td>
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={4} className={style.inside}>
            <p className="small">
              <CopyText text={event.id} what="event id" />
            </p>
            {event.deliveries.total > 0 && unable('webhooks:manage') === undefined && <EventDeliveries event={event} />}
            <Json value={event.data} rows={80} />
          </td>
        </tr>
      )}
    </>
  )
}
