// The tour for newcomers: at which stop it is, in this browser, and what the server remembers of it.
import type { Preferences } from '@runyard/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { preferencesQuery } from '../queries/notifications.ts'
import { runyard } from './client.ts'
import { set, useSetting } from './settings.ts'

export const stops = ['overview', 'runs', 'run', 'inbox', 'agent'] as const
export type Stop = (typeof stops)[number]

/** Undefined: nobody takes it now. It is kept in the browser, so that a reload does not end it. */
export function useTourStop(): Stop | undefined {
  const stop = useSetting('tour')
  return stop === 'none' ? undefined : stop
}

export const startTour = (): void => set('tour', stops[0])
export const goToStop = (stop: Stop): void => set('tour', stop)

/** Ends it, or never begins it, and remembers that wherever the member signs in. */
export function useEndTour(): (how: Exclude<Preferences['tour'], 'new'>) => void {
  const queries = useQueryClient()
  const { mutate } = useMutation({
    mutationFn: (tour: Preferences['tour']) => runyard.teams.updatePreferences({ tour }),
    onSuccess: ({ preferences }) => queries.setQueryData(preferencesQuery.queryKey, preferences),
  })
  return (how) => {
    set('tour', 'none')
    queries.setQueryData(preferencesQuery.queryKey, { tour: how })
    mutate(how)
  }
}
