// What the overview shows: the state of the team, its runs of the last day, and how far a newcomer has come.
import { queryOptions } from '@tanstack/react-query'
import { runyard } from '../app/client.ts'

export const overviewQuery = queryOptions({
  queryKey: ['overview'],
  queryFn: ({ signal }) => runyard.teams.overview({ signal }),
  refetchInterval: 60_000,
})

const dayMs = 86_400_000
const hourMs = 3_600_000

/** The last 24 hours by the hour, and the day before them. */
export const lastDayQuery = queryOptions({
  queryKey: ['runCounts', 'lastDay'],
  queryFn: async ({ signal }) => {
    // whole hours, so that every bar is one
    const until = new Date(Math.ceil(Date.now() / hourMs) * hourMs)
    const ago = (days: number) => new Date(until.getTime() - days * dayMs).toISOString()
    const [day, before] = await Promise.all([
      runyard.runs.counts({ since: ago(1), until: until.toISOString(), interval: 'hour' }, { signal }),
      runyard.runs.counts({ since: ago(2), until: ago(1), interval: 'hour' }, { signal }),
    ])
    return { day, before }
  },
  refetchInterval: 60_000,
})

export const lastRunsQuery = queryOptions({
  queryKey: ['runs', 'last'],
  queryFn: async ({ signal }) => (await runyard.runs.list({ limit: 7 }, { signal }).page()).data,
})
