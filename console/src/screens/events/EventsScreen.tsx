// Events: what happened, to whom it was sent, and how those who receive it do. A log: nothing here makes or changes a webhook.
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Bar } from '../../app/Bar.tsx'
import { useSession } from '../../app/session.tsx'
import { Tabs } from '../../parts/Tabs.tsx'
import { deliveryTargetsQuery } from '../../queries/events.ts'
import { Deliveries } from './Deliveries.tsx'
import style from './EventsScreen.module.css'
import { EventLog } from './EventLog.tsx'
import { Receivers } from './Receivers.tsx'
import { eventTabs } from './search.ts'

const route = getRouteApi('/frame/events')
const names = { log: 'Log', deliveries: 'Deliveries', receivers: 'Receivers' }
const bodies = { log: EventLog, deliveries: Deliveries, receivers: Receivers }

export function EventsScreen() {
  const { tab = 'log' } = route.useSearch()
  const cannot = useSession().unable('webhooks:manage')
  const targets = useQuery({ ...deliveryTargetsQuery, enabled: cannot === undefined })
  const dead = targets.data?.reduce((sum, target) => sum + target.dead, 0)
  const counts = { log: undefined, deliveries: dead || undefined, receivers: targets.data?.length }
  const Body = bodies[tab]
  return (
    <>
      <Bar
        title="Events"
        tabs={
          <Tabs
            label="Events"
            tabs={eventTabs.map((each) => ({
              label: each === 'deliveries' && dead ? <span title="Given up">{names[each]}</span> : names[each],
              count: counts[each],
              isOpen: each === tab,
              link: { to: '/events', search: each === 'log' ? {} : { tab: each } },
            }))}
          />
        }
      />
      <main className={style.main}>
        <Body />
      </main>
    </>
  )
}
