// Where one is on the page of a run, and how to go elsewhere on it: everything that is chosen is in the address.
import { getRouteApi, type LinkProps } from '@tanstack/react-router'
import { useCallback } from 'react'
import type { RunSearch } from './search.ts'

const route = getRouteApi('/frame/runs/$runId')

export interface RunAddress {
  runId: string
  search: RunSearch
  /** Changes what is named and leaves the rest. `undefined` takes it out of the address. */
  choose: (change: { [Name in keyof RunSearch]?: RunSearch[Name] | undefined }) => void
  /** The same as a link. */
  linkTo: (change: { [Name in keyof RunSearch]?: RunSearch[Name] | undefined }) => LinkProps
}

const changed = (search: RunSearch, change: object): RunSearch =>
  Object.fromEntries(Object.entries({ ...search, ...change }).filter(([, value]) => value !== undefined))

export function useRunAddress(): RunAddress {
  const { runId } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  // the steps that somebody walked through are not places to go back to
  const choose: RunAddress['choose'] = useCallback(
    (change) => void navigate({ search: (before) => changed(before, change), replace: true }),
    [navigate],
  )
  return {
    runId,
    search,
    choose,
    linkTo: (change) => ({
      to: '/runs/$runId',
      params: { runId },
      search: changed(search, change),
      // otherwise a link that leaves something out would count as the current one
      activeOptions: { exact: true, includeSearch: true },
    }),
  }
}
