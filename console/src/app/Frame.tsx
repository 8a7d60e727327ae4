// What is around every screen: the sidebar, on a phone the bar at the bottom, the palette, and the list of keys.
import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { Icon } from '../look/Icon.tsx'
import { Mark } from '../look/Mark.tsx'
import { StatusShape } from '../look/StatusShape.tsx'
import { count, counted } from '../parts/amounts.ts'
import { openIncidentsQuery } from '../queries/alerts.ts'
import { requestCountsQuery } from '../queries/requests.ts'
import { runningCountQuery } from '../queries/runs.ts'
import { teamQuery } from '../queries/team.ts'
import { AccountMenu } from './AccountMenu.tsx'
import style from './Frame.module.css'
import { listenForKeys, useKeys } from './keys.ts'
import { openPalette, usePaletteKeys } from './opening.ts'
import { StartRunHost } from './StartRunHost.tsx'
import { places, type Place } from './places.ts'
import { useSession } from './session.tsx'
import { BrowserNotices } from './BrowserNotices.tsx'
import { TourHost } from './TourHost.tsx'
import { visible } from '../parts/visibleText.ts'

const Palette = lazy(() => import('./Palette.tsx'))
const KeyList = lazy(() => import('./KeyList.tsx'))
const WorkDock = lazy(() => import('./WorkDock.tsx'))

export function Frame() {
  const navigate = useNavigate()
  const [isListing, setListing] = useState(false)
  const isPaletteOpen = usePaletteKeys()
  useEffect(listenForKeys, [])
  useKeys([
    ...places.map(({ to, name, key }) => ({
      keys: `g ${key}`,
      says: name,
      where: 'Go to',
      run: () => void navigate({ to }),
    })),
    { keys: 'g n', says: 'Notifications', where: 'Go to', run: () => void navigate({ to: '/notifications' }) },
    { keys: '?', says: 'All keys', where: 'Everywhere', run: () => setListing(true) },
  ])
  return (
    <div className={style.frame}>
      <a className={style.skip} href="#screen">
        Skip to the screen
      </a>
      <aside className={style.side}>
        <Brand />
        <nav className={style.nav} aria-label="Main">
          {places.map((place) => (
            <PlaceLink key={place.to} place={place} />
          ))}
        </nav>
        <AccountMenu onShowKeys={() => setListing(true)} />
      </aside>
      <div className={style.screen} id="screen" tabIndex={-1}>
        <Outlet />
        <Suspense>
          <WorkDock />
        </Suspense>
      </div>
      <nav className={style.phoneNav} aria-label="Main">
        {places
          .filter(({ isOnPhone }) => isOnPhone)
          .map((place) => (
            <PlaceLink key={place.to} place={place} />
          ))}
        <button type="button" onClick={openPalette}>
          <Icon name="search" size={20} />
          Find
        </button>
      </nav>
      <StartRunHost />
      <BrowserNotices />
      <TourHost />
      <Suspense>
        {isPaletteOpen && <Palette />}
        {isListing && <KeyList onClose={() => setListing(false)} />}
      </Suspense>
    </div>
  )
}

function Brand() {
  const { data } = useQuery(teamQuery)
  return (
    <div className={style.brand}>
      <Mark />
      Runyard
      {data && (
        <span className={style.team} title={`Team ${visible(data.name)}`}>
          {visible(data.name)}
        </span>
      )}
    </div>
  )
}

function PlaceLink({ place: { to, name, icon, begins } }: { place: Place }) {
  return (
    <Link
      className={begins ? style.begins : undefined}
      to={to}
      activeOptions={{ exact: to === '/', includeSearch: false }}
    >
      <Icon name={icon} />
      {name}
      {to === '/inbox' && <WaitingCount />}
      {to === '/runs' && <RunningCount />}
      {to === '/alerts' && <OpenCount />}
    </Link>
  )
}

function WaitingCount() {
  const { data } = useQuery(requestCountsQuery)
  if (!data?.total) return null
  return (
    <span className={style.hot} title={counted(data.total, 'request waits', 'requests wait')}>
      <StatusShape shape="human" size={14} />
      {count(data.total)}
    </span>
  )
}

function OpenCount() {
  const { unable } = useSession()
  const { data } = useQuery({ ...openIncidentsQuery, enabled: unable('runs:read') === undefined })
  if (!data?.total) return null
  return (
    <span className={style.hot} title={counted(data.total, 'open incident')}>
      <StatusShape shape="failed" size={14} />
      {count(data.total)}
    </span>
  )
}

function RunningCount() {
  const { data } = useQuery(runningCountQuery)
  return data ? (
    <span className={style.count} title={`${count(data)} running`}>
      {count(data)}
    </span>
  ) : null
}
