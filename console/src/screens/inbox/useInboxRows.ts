// The rows of the inbox. What is being read never moves: new requests are offered, and one that somebody else closed stays until one looks again.
import type { HumanRequest, InboxRequest, ListHumanRequestsAnswer } from '@runyard/sdk'
import { useInfiniteQuery, useQueries, useQueryClient, type InfiniteData } from '@tanstack/react-query'
import { useState } from 'react'
import { runyard } from '../../app/client.ts'
import { useLiveEvents } from '../../app/live.tsx'
import { useSession } from '../../app/session.tsx'
import { useNow } from '../../parts/Time.tsx'
import { requestQuery } from '../../queries/requests.ts'
import { asideAt, useLater } from './later.ts'
import type { InboxSearch } from './search.ts'

const pageSize = 100

export interface InboxRows {
  /** Undefined while the first page loads. */
  rows: InboxRequest[] | undefined
  /** How many there are on the service, also those that are not loaded yet. */
  total: number
  error: unknown
  retry: () => void
  hasMore: boolean
  isLoadingMore: boolean
  loadMore: () => void
  /** How many came since the list was opened. */
  arrived: number
  /** Opens the list again. */
  show: () => void
  /** Takes one out that this person has answered. */
  remove: (requestId: string) => void
  /** Shows one as it is now. */
  update: (request: HumanRequest) => void
}

type Pages = InfiniteData<ListHumanRequestsAnswer, number>

export function useInboxRows(search: InboxSearch): InboxRows {
  const { profile } = useSession()
  const { list = 'waiting' } = search
  const later = asideAt(useLater(profile.id), useNow(10_000))
  const served = useServedRows(search, profile.id)
  const aside = useAsideRows(list === 'later' ? Object.keys(later) : [])
  if (list === 'later') return aside
  if (list === 'done') return served
  const rows = served.rows?.filter(({ id }) => !Object.hasOwn(later, id))
  return { ...served, rows }
}

function useServedRows({ list = 'waiting', agent_id, sort = 'deadline' }: InboxSearch, memberId: string): InboxRows {
  const queries = useQueryClient()
  const filter =
    list === 'done'
      ? { status: 'closed' as const }
      : {
          status: 'pending' as const,
          sort: sort === 'oldest' ? ('age' as const) : ('deadline' as const),
          ...(list === 'mine' && { assignee_user_id: 'me' }),
          ...(agent_id !== undefined && { agent_id }),
        }
  // not below 'requests': events must not open the list again
  const queryKey = ['inbox', filter]
  const key = JSON.stringify(queryKey)
  const closed = useIds(key)
  const arrived = useIds(key)

  const query = useInfiniteQuery({
    queryKey,
    enabled: list !== 'later',
    queryFn: ({ pageParam, signal }) =>
      runyard.humanRequests.list({ ...filter, limit: pageSize, offset: pageParam }, { signal }).page(),
    initialPageParam: 0,
    // those that were closed since are no longer on the service's pages
    getNextPageParam: (last, pages) =>
      last.human_requests.length < pageSize
        ? undefined
        : uniqueOf(pages).length - (list === 'done' ? 0 : closed.ids.size),
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    // another visit begins with what waits then
    gcTime: 0,
  })
  const rows = query.data && uniqueOf(query.data.pages)

  const change = (to: (rows: InboxRequest[]) => InboxRequest[]) =>
    queries.setQueryData<Pages>(
      queryKey,
      (data) =>
        data && { ...data, pages: data.pages.map((page) => ({ ...page, human_requests: to(page.human_requests) })) },
    )
  const remove = (requestId: string) => change((page) => page.filter(({ id }) => id !== requestId))
  const update = (request: HumanRequest) => {
    if (request.status !== 'pending') closed.add(request.id)
    change((page) => page.map((row) => (row.id === request.id ? { ...row, ...request } : row)))
  }
  const show = () => {
    closed.clear()
    arrived.clear()
    void query.refetch()
  }

  useLiveEvents(({ event, data }) => {
    const about = data as { human_request?: HumanRequest; run_id?: string; agent_id?: string }
    if (event === 'human_request.created' && about.human_request && list !== 'done') {
      const { id, assignee_user_id } = about.human_request
      const isOfList =
        (list !== 'mine' || assignee_user_id === memberId) && (agent_id === undefined || about.agent_id === agent_id)
      if (!isOfList || rows?.some((row) => row.id === id)) return
      // nothing is being read in an empty list
      if (rows?.length === 0) show()
      else arrived.add(id)
      return
    }
    if (event === 'human_request.responded' && about.human_request) {
      arrived.remove(about.human_request.id)
      update(about.human_request)
      return
    }
    // nothing tells of a request that was cancelled, but its run continues or ends
    const row =
      list === 'done' ? undefined : rows?.find((one) => one.run_id === about.run_id && one.status === 'pending')
    if (row) void queries.fetchQuery({ ...requestQuery(row.id), staleTime: 0 }).then(update, () => remove(row.id))
  })

  return {
    rows,
    total: query.data?.pages.at(-1)?.total ?? 0,
    error: query.error,
    retry: () => void query.refetch(),
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    loadMore: () => void query.fetchNextPage({ cancelRefetch: false }),
    arrived: arrived.ids.size,
    show,
    remove,
    update,
  }
}

/** Ids that belong to one list; another list begins without any. */
function useIds(key: string) {
  const [{ key: keptKey, ids }, set] = useState({ key, ids: new Set<string>() })
  const change = (to: (before: Set<string>) => Set<string>) =>
    set((before) => ({ key, ids: to(before.key === key ? before.ids : new Set()) }))
  return {
    ids: keptKey === key ? ids : new Set<string>(),
    add: (id: string) => change((before) => new Set([...before, id])),
    remove: (id: string) => change((before) => new Set([...before].filter((one) => one !== id))),
    clear: () => change(() => new Set()),
  }
}

/** Pages are read one after the other, so a row can be on two of them. */
function uniqueOf(pages: ListHumanRequestsAnswer[]): InboxRequest[] {
  const byId = new Map(pages.flatMap((page) => page.human_requests.map((row) => [row.id, row] as const)))
  return [...byId.values()]
}

/** Those that were put aside, each read by its id. */
function useAsideRows(ids: string[]): InboxRows {
  const found = useQueries({ queries: ids.map((id) => requestQuery(id)) })
  const isLoading = found.some(({ isPending }) => isPending)
  const rows = found.flatMap(({ data }) => (data?.status === 'pending' ? [data] : []))
  return {
    rows: isLoading ? undefined : rows,
    total: rows.length,
    error: null,
    retry: () => found.forEach(({ refetch }) => void refetch()),
    hasMore: false,
    isLoadingMore: false,
    loadMore: () => {},
    arrived: 0,
    show: () => {},
    remove: () => {},
    update: () => {},
  }
}
