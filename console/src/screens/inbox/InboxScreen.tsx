// The inbox: requests that wait for a person, and the one that is open beside them.
import type { HumanRequest, InboxRequest } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Bar } from '../../app/Bar.tsx'
import { useKeys } from '../../app/keys.ts'
import { useSession } from '../../app/session.tsx'
import { classes } from '../../look/classes.ts'
import { CopyAs } from '../../parts/CopyAs.tsx'
import { Failed, Skeleton } from '../../parts/states.tsx'
import { useNow } from '../../parts/Time.tsx'
import { requestCountsQuery, requestQuery } from '../../queries/requests.ts'
import { FootKeys } from './FootKeys.tsx'
import { InboxTabs } from './InboxTabs.tsx'
import style from './InboxScreen.module.css'
import { LastAnswered } from './LastAnswered.tsx'
import { asideAt, takeBack, useLater } from './later.ts'
import { ListHead } from './ListHead.tsx'
import { NothingHere } from './NothingHere.tsx'
import { BackToList, Preview } from './Preview.tsx'
import { RequestList } from './RequestList.tsx'
import type { InboxSearch } from './search.ts'
import { useInboxRows } from './useInboxRows.ts'
import { useNarrow } from './useNarrow.ts'

const route = getRouteApi('/frame/inbox')

export function InboxScreen() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { history } = useRouter()
  const { profile } = useSession()
  const isNarrow = useNarrow()
  const later = asideAt(useLater(profile.id), useNow(10_000))
  const list = useInboxRows(search)
  const { rows } = list
  const { request: selected } = search
  const opened = useOpened(selected, rows)
  useWaitingTitle()

  const open = (requestId: string | undefined, replace = false) =>
    void navigate({ search: (before) => ({ ...before, request: requestId }), replace })

  // beside the list there is always one open; on a phone the list comes first
  const first = rows?.[0]?.id
  useEffect(() => {
    // whoever is on the way to another screen, whose code is still being fetched, is not called back
    const isLeaving = history.location.pathname !== '/inbox'
    if (!isNarrow && selected === undefined && first !== undefined && !isLeaving) open(first, true)
  })

  const at = rows?.findIndex(({ id }) => id === selected) ?? -1
  const move = (step: number) => {
    const other = rows?.[at < 0 ? 0 : at + step]
    if (other) open(other.id, true)
  }
  const [next, setNext] = useState<string>()
  const openNext = () => {
    const { id } = (isNarrow ? undefined : (rows?.[at + 1] ?? rows?.[at - 1])) ?? {}
    setNext(id)
    open(id, true)
  }
  useKeys([
    { keys: 'j', says: 'Next request', where: 'Inbox', run: () => move(1) },
    { keys: 'k', says: 'Request before', where: 'Inbox', run: () => move(-1) },
  ])

  function answered(request: HumanRequest) {
    // another person must approve too: it stays, and this one can still change their mind
    if (request.status === 'pending') return list.update(request)
    const { id } = request
    openNext()
    list.remove(id)
    if (Object.hasOwn(later, id)) takeBack(profile.id, [id])
  }

  const tabs = <InboxTabs search={search} aside={Object.keys(later).length} />
  const isEmpty = rows?.length === 0 && list.arrived === 0
  const isAlone = isEmpty && selected === undefined
  return (
    <>
      <div className={classes(style.top, selected !== undefined && style.behind)}>
        <Bar title="Inbox" tabs={!isNarrow && tabs}>
          {!isNarrow && <CopyAs operation="listHumanRequests" input={queryOf(search)} />}
        </Bar>
      </div>
      <main className={style.main}>
        <div className={classes(style.split, isAlone && style.alone)}>
          <section className={classes(style.list, selected !== undefined && style.behind)} aria-label="Requests">
            {isNarrow && <div className={style.tabs}>{tabs}</div>}
            <ListHead
              search={search}
              arrived={list.arrived}
              onShow={list.show}
              onChange={(changes) =>
                void navigate({ search: (before) => ({ ...before, ...changes, request: undefined }) })
              }
            />
            {rows === undefined &&
              (list.error ? (
                <Failed error={list.error} onRetry={list.retry} />
              ) : (
                <Skeleton what="requests" rows={10} />
              ))}
            {isEmpty ? (
              <>
                <NothingHere
                  search={search}
                  onClear={() => void navigate({ search: (before) => ({ ...before, agent_id: undefined }) })}
                />
                <span className={style.gap} />
                {search.list !== 'done' && <LastAnswered />}
              </>
            ) : (
              <RequestList list={list} selected={selected} later={search.list === 'later' ? later : undefined}>
                {search.list !== 'done' && <LastAnswered />}
              </RequestList>
            )}
          </section>
          {!isAlone && (
            <section
              className={classes(style.open, selected === undefined && style.behind)}
              aria-label="The open request"
            >
              <BackToList />
              {opened.request ? (
                <Preview
                  key={opened.request.id}
                  request={opened.request}
                  isAside={Object.hasOwn(later, opened.request.id)}
                  hasNext={!isNarrow && (rows?.length ?? 0) > 1}
                  takesFocus={opened.request.id === next}
                  onAnswered={answered}
                  onChanged={list.update}
                  onAside={openNext}
                  onBack={() => search.list === 'later' && openNext()}
                />
              ) : opened.error ? (
                <Failed error={opened.error} onRetry={opened.retry} />
              ) : (
                <Skeleton what="request" rows={6} />
              )}
            </section>
          )}
        </div>
        <FootKeys />
      </main>
    </>
  )
}

/** As the list has it at once, then whole and as it is now. */
function useOpened(requestId: string | undefined, rows: InboxRequest[] | undefined) {
  const row = rows?.find(({ id }) => id === requestId)
  const query = useQuery({
    ...requestQuery(requestId ?? ''),
    enabled: requestId !== undefined,
    // a decision needs the whole text
    ...(row && !row.truncated && { placeholderData: row }),
  })
  // an answer shows in the list first
  const request = query.data && row && row.status !== 'pending' ? { ...query.data, ...row } : query.data
  return {
    request: requestId === undefined ? undefined : request,
    error: requestId === undefined ? null : query.error,
    retry: () => void query.refetch(),
  }
}

/** `(6) Inbox` is what the tab of the browser says. */
function useWaitingTitle(): void {
  const { data } = useQuery(requestCountsQuery)
  const [before] = useState(() => document.title)
  const total = data?.total ?? 0
  useEffect(() => {
    document.title = total > 0 ? `(${total}) Inbox · Runyard` : 'Inbox · Runyard'
  }, [total])
  useEffect(() => () => void (document.title = before), [before])
}

/** The list as the API is asked for it. */
function queryOf({ list = 'waiting', agent_id, sort = 'deadline' }: InboxSearch): Record<string, unknown> {
  if (list === 'done') return { status: 'closed' }
  return {
    sort: sort === 'oldest' ? 'age' : 'deadline',
    assignee_user_id: list === 'mine' ? 'me' : undefined,
    agent_id,
  }
}
