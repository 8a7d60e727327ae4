// What a person is notified of, the mails to them, and what the service remembers of them for the console.
import { queryOptions } from '@tanstack/react-query'
import { runyard } from '../app/client.ts'

export const notificationsQuery = queryOptions({
  queryKey: ['notifications'],
  queryFn: ({ signal }) => runyard.notifications.get({ signal }),
  staleTime: 60_000,
})

/** How often it is asked while a mail is on its way: nothing else tells of it. */
const onItsWayMs = 1000

export const mailsQuery = queryOptions({
  queryKey: ['mails'],
  queryFn: ({ signal }) => runyard.notifications.mails({ limit: 10 }, { signal }).page(),
  refetchInterval: ({ state: { data } }) =>
    data?.mails.some(({ state }) => state === 'waiting' || state === 'sending') ? onItsWayMs : false,
})

export const preferencesQuery = queryOptions({
  queryKey: ['preferences'],
  queryFn: async ({ signal }) => (await runyard.teams.preferences({ signal })).preferences,
  staleTime: Infinity,
})
