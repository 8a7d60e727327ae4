// What the team uses, and what it may use.
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { runyard } from '../app/client.ts'

/** Days of UTC as `YYYY-MM-DD`; `until` is not included. */
export interface UsageDays {
  since: string
  until: string
}

const againMs = 60_000

export const usageQuery = (days: UsageDays) =>
  queryOptions({
    queryKey: ['usage', days],
    queryFn: async ({ signal }) => (await runyard.billing.usageHistory({ ...days }, { signal })).usage,
    placeholderData: keepPreviousData,
    refetchInterval: againMs,
  })

export const modelUsageQuery = (days: UsageDays) =>
  queryOptions({
    queryKey: ['usage', 'models', days],
    queryFn: async ({ signal }) => (await runyard.billing.modelUsage({ ...days }, { signal })).model_usage,
    placeholderData: keepPreviousData,
    refetchInterval: againMs,
  })

export const limitsQuery = queryOptions({
  queryKey: ['limits'],
  queryFn: async ({ signal }) => (await runyard.billing.entitlements({ signal })).entitlements,
  refetchInterval: againMs,
})
