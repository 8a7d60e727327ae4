// The words of procedures, asked from the service once: they change only with its version.
import { queryOptions, useQuery } from '@tanstack/react-query'
import { runyard } from '../../../app/client.ts'
import type { Language } from './language.ts'

const languageQuery = queryOptions({
  queryKey: ['procedureLanguage'],
  queryFn: ({ signal }) => runyard.agents.procedureLanguage({ signal }),
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
})

/** Undefined until it is there; an editor without it offers nothing. */
export const useLanguage = (): Language | undefined => useQuery(languageQuery).data
