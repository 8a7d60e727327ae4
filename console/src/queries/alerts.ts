// Rules of alerts, and the incidents that they opened.
import type { ListAlertIncidentsInput } from '@runyard/sdk'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { runyard } from '../app/client.ts'

/** No event tells of incidents, so they are asked for again. Rules are measured twice a minute. */
const askAgainMs = 15_000

export const incidentsQuery = (input: ListAlertIncidentsInput) =>
  queryOptions({
    queryKey: ['alerts', 'incidents', input],
    queryFn: ({ signal }) => runyard.alerts.listIncidents(input, { signal }).page(),
    placeholderData: keepPreviousData,
    refetchInterval: askAgainMs,
  })

/** The open ones, for the sidebar and for notifications of the browser. */
export const openIncidentsQuery = queryOptions({
  ...incidentsQuery({ state: 'open', limit: 100 }),
  refetchInterval: 60_000,
  refetchIntervalInBackground: true,
})

export const incidentQuery = (id: string) =>
  queryOptions({
    queryKey: ['alerts', 'incident', id],
    queryFn: async ({ signal }) => (await runyard.alerts.getIncident(id, { signal })).incident,
    refetchInterval: ({ state: { data } }) => (data?.state === 'closed' ? false : askAgainMs),
  })

export const alertRulesQuery = queryOptions({
  queryKey: ['alerts', 'rules'],
  queryFn: async ({ signal }) => (await runyard.alerts.listRules({ limit: 100 }, { signal }).page()).alert_rules,
  refetchInterval: askAgainMs,
})
