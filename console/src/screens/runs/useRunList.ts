// The rows of the list. What is being read never moves: new runs are offered, and a run that no longer fits stays until one looks again.
import type { ListedRunDetails, ListRunsAnswer, Run } from '@runyard/sdk'
import { keepPreviousData, queryOptions, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { runyard } from '../../app/client.ts'
import { chosen } from '../../app/search.ts'
import { runListQuery, runQuery, runTotalQuery } from '../../queries/runs.ts'
import { momentAfter } from '../../parts/moments.ts'
import { apiFilter, apiOrder, earlier, isNewestFirst, later, type ApiFilter } from './apiFilter.ts'
import { filterNames, type RunsSearch } from './search.ts'
import { useRunDetails } from './useRunDetails.ts'

export interface ShownRun {
  run: Run
  /** Undefined until they are there. */
  details: ListedRunDetails | undefined
  /** It fitted when the list was opened, and does no longer. */
  hasLeft: boolean
}

export interface RunList {
  /** Undefined while the first page loads. */
  rows: ShownRun[] | undefined
  total: number
  /** The filter of the address with exact moments. */
  filter: ApiFilter
  /** What the rows were asked for with: the same, and nothing newer than when the list was opened. */
  asked: ApiFilter
  /** What the next page will be; the rows are of the one before until it is there. */
  isLoadingOther: boolean
  error: unknown
  /** Runs that were made since. */
  newer: number
  /** Whether runs of before fit now that did not. */
  hasChanged: boolean
  /** Opens the list again. */
  show: () => void
  retry: () => void
}

/** When the list was opened: the filter with its moments, and the time after the newest run. */
interface Opening {
  filter: ApiFilter
  anchor: string | undefined
  /** The first page, if it was asked for. */
  first: ListRunsAnswer | undefined
  at: number
}

const openingQuery = (search: RunsSearch, zone: string, page: number, size: number) => {
  const narrowed = chosen(Object.fromEntries(filterNames.map((name) => [name, search[name]])))
  const order = apiOrder(search)
  return queryOptions({
    // not below 'runs': events must not open the list again
    queryKey: ['runList', narrowed, order, size, zone],
    queryFn: async ({ signal }): Promise<Opening> => {
      const at = Date.now()
      const filter = apiFilter(search, at, zone)
      if (!isNewestFirst(order)) return { filter, anchor: undefined, first: undefined, at }
      const limit = page === 1 ? size : 1
      const found = await runyard.runs.list({ ...filter, limit }, { signal }).page()
      const [newest] = found.data
      return {
        filter,
        anchor: newest && momentAfter(newest.created_at),
        first: page === 1 ? found : undefined,
        at,
      }
    },
    staleTime: Infinity,
    // a connection that came back makes everything old, but must not open the list again either
    enabled: (query) => query.state.data === undefined,
    placeholderData: keepPreviousData,
  })
}

export function useRunList(search: RunsSearch, zone: string, page: number, size: number): RunList {
  const queries = useQueryClient()
  const opening = useQuery(openingQuery(search, zone, page, size))
  const { filter = {}, anchor, first, at } = opening.data ?? {}
  const isOpen = opening.data !== undefined
  const asked: ApiFilter = chosen({ ...filter, until: earlier(filter.until, anchor) })
  const input = { ...asked, ...apiOrder(search), limit: size, offset: (page - 1) * size }
  const list = useQuery({
    ...runListQuery(input),
    enabled: isOpen && !opening.isPlaceholderData,
    placeholderData: keepPreviousData,
    ...(first && page === 1 && { initialData: first, initialDataUpdatedAt: at }),
  })
  const canBeNewer = anchor !== undefined && (filter.until === undefined || later(filter.until, anchor) !== anchor)
  const { data: newer } = useQuery({
    ...runTotalQuery({ ...filter, since: later(filter.since, anchor) }),
    initialData: 0,
    staleTime: Infinity,
    enabled: canBeNewer && !opening.isPlaceholderData,
  })
  const isOther = list.isPlaceholderData || opening.isPlaceholderData
  const steady = useSteadyRows(JSON.stringify([input, at]), isOther ? undefined : list.data?.data)
  return {
    rows: steady.rows,
    total: list.data?.total ?? 0,
    filter,
    asked,
    isLoadingOther: isOther,
    error: list.error ?? opening.error,
    newer: canBeNewer ? newer : 0,
    hasChanged: steady.hasChanged,
    show() {
      steady.forget()
      // those that were narrowed by the moment before are of no more use
      queries.removeQueries({ queryKey: ['runs', 'list'], type: 'inactive' })
      void opening.refetch()
    },
    retry() {
      void (opening.error || opening.data === undefined ? opening.refetch() : list.refetch())
    },
  }
}

/** Keeps the rows of a page where they are: what changed of them shows, and what left stays as it is now. */
function useSteadyRows(key: string, found: Run[] | undefined) {
  const [kept, setKept] = useState<{ key: string; rows: Run[] }>()
  const isNew = found !== undefined && (kept?.key !== key || kept.rows.length === 0)
  if (isNew && kept?.rows !== found) setKept({ key, rows: found })
  const base = (isNew ? found : kept?.rows) ?? []
  const fresh = new Map(found?.map((run) => [run.id, run]))
  const isKnown = new Set(base.map(({ id }) => id))
  const left = found === undefined ? [] : base.filter(({ id }) => !fresh.has(id))
  const now = useQueries({ queries: left.map(({ id }) => runQuery(id)) })
  const leftNow = new Map(left.map((run, n) => [run.id, now[n]?.data?.run ?? run]))
  const shown = base.map((run) => leftNow.get(run.id) ?? fresh.get(run.id) ?? run)
  const detailsOf = useRunDetails(shown)
  return {
    rows:
      kept === undefined && found === undefined
        ? undefined
        : shown.map((run): ShownRun => ({ run, details: detailsOf(run.id), hasLeft: leftNow.has(run.id) })),
    hasChanged: found?.some(({ id }) => !isKnown.has(id)) ?? false,
    forget: () => setKept(undefined),
  }
}
