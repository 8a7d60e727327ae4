// Shows what happens as notifications of the browser, on every screen, for those who switched them on: requests, failed runs, connections,
// deliveries, alerts.
import type { AlertIncident, DeliveryTarget, HumanRequest, TeamStreamEvent } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useRef } from 'react'
import { visible } from '../parts/visibleText.ts'
import { openIncidentsQuery } from '../queries/alerts.ts'
import { deliveryTargetsQuery } from '../queries/events.ts'
import { notificationsQuery } from '../queries/notifications.ts'
import { failuresSince } from './failingReceivers.ts'
import { isAllowed } from './noticePermission.ts'
import { useLiveEvents } from './live.tsx'
import { useSession } from './session.tsx'
import { useSetting } from './settings.ts'

const bodyMax = 120

interface Notice {
  kind: 'human_requests' | 'failed_runs' | 'connections' | 'deliveries' | 'alerts'
  title: string
  body: string
  /** Two tabs tell of it once. */
  tag: string
  /** What it opens. */
  path: string
}

export function BrowserNotices() {
  const { history } = useRouter()
  const { profile, unable } = useSession()
  const isWanted = useSetting('notify') === 'on' && isAllowed()
  const { data } = useQuery({ ...notificationsQuery, enabled: isWanted })
  const show = (notice: Notice | undefined) => {
    if (!isWanted || !notice || !data?.notifications.browser[notice.kind]) return
    const screen = notice.path.split('?')[0]
    // whoever looks at it sees it there
    if (document.visibilityState === 'visible' && window.location.pathname === screen) return
    const shown = new Notification(notice.title, {
      body: visible(notice.body).slice(0, bodyMax),
      tag: notice.tag,
      icon: '/icon.svg',
    })
    shown.addEventListener('click', () => {
      window.focus()
      history.push(notice.path)
      shown.close()
    })
  }
  useLiveEvents((event) => show(noticeOf(event, profile.id)))
  const tellsDeliveries =
    isWanted && data?.notifications.browser.deliveries === true && unable('webhooks:manage') === undefined
  useFailures(tellsDeliveries, ({ id, url }) => show(deliveryNotice(id, url)))
  const tellsAlerts = isWanted && data?.notifications.browser.alerts === true && unable('runs:read') === undefined
  useIncidents(tellsAlerts, (incident) => show(incidentNotice(incident)))
  return null
}

/** No event tells of deliveries, so they are looked at now and then. */
const lookAgainMs = 60_000

function useFailures(isOn: boolean, onFailure: (receiver: DeliveryTarget) => void): void {
  const { data } = useQuery({
    ...deliveryTargetsQuery,
    enabled: isOn,
    refetchInterval: lookAgainMs,
    refetchIntervalInBackground: true,
  })
  const known = useRef<ReadonlySet<string>>(undefined)
  const tell = useEffectEvent(onFailure)
  useEffect(() => {
    if (!isOn || !data) return
    const found = failuresSince(known.current, data)
    known.current = found.known
    for (const one of found.fresh) tell(one)
  }, [isOn, data])
}

/** Those that are open when the page begins are on the screen; only later ones are shown. */
function useIncidents(isOn: boolean, onOpened: (incident: AlertIncident) => void): void {
  const { data } = useQuery({ ...openIncidentsQuery, enabled: isOn })
  const known = useRef<ReadonlySet<string>>(undefined)
  const tell = useEffectEvent(onOpened)
  useEffect(() => {
    if (!isOn || !data) return
    const before = known.current
    known.current = new Set(data.incidents.map(({ id }) => id))
    if (before) for (const one of data.incidents) if (!before.has(one.id)) tell(one)
  }, [isOn, data])
}

const incidentNotice = ({ id, rule_name, scope_name }: AlertIncident): Notice => ({
  kind: 'alerts',
  title: `Alert: ${visible(rule_name).slice(0, 60)}`,
  body: `An incident is open for ${scope_name ?? 'the team'}.`,
  tag: id,
  path: `/alerts?incident=${id}`,
})

function deliveryNotice(id: string, url: string): Notice {
  const host = URL.parse(url)?.host ?? url
  const body = 'Webhooks to it fail again and again. Its deliveries wait or are given up.'
  return {
    kind: 'deliveries',
    title: `${visible(host).slice(0, 60)} does not accept events`,
    body,
    tag: id,
    path: '/events?tab=receivers',
  }
}

/** Undefined: nobody is notified of this event, or somebody else is. */
function noticeOf({ event, data }: TeamStreamEvent, me: string): Notice | undefined {
  if (event === 'human_request.created') {
    const { human_request: request } = data as { human_request: HumanRequest }
    const isMine = request.assignee_user_id === me
    if (!isMine && request.assignee_user_id !== null) return undefined
    const title = isMine ? 'Runyard asks you' : 'Runyard asks a person'
    return { kind: 'human_requests', title, body: request.title, tag: request.id, path: `/inbox?request=${request.id}` }
  }
  if (event === 'run.failed') {
    const { run_id, error } = data as { run_id: string; error: { message: string } }
    return { kind: 'failed_runs', title: 'A run failed', body: error.message, tag: run_id, path: `/runs/${run_id}` }
  }
  if (event === 'connection.action_required') {
    const { connection_id: id, provider, reason } = data as { connection_id: string; provider: string; reason: string }
    const title = `A connection needs a person: ${visible(provider).slice(0, 60)}`
    return { kind: 'connections', title, body: reason, tag: id, path: `/connections/${id}` }
  }
  return undefined
}
