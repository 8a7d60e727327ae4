// Runs: lists, counts, and everything about one of them.
import type { GetRunCountsInput, ListRunsInput } from '@runyard/sdk'
import { queryOptions } from '@tanstack/react-query'
import { runyard } from '../app/client.ts'

export const runQuery = (runId: string) =>
  queryOptions({
    queryKey: ['run', runId],
    queryFn: ({ signal }) => runyard.runs.get(runId, { signal }),
  })

export const runningCountQuery = queryOptions({
  queryKey: ['runs', 'running'],
  queryFn: async ({ signal }) =>
    (await runyard.runs.list({ status: 'running', count_only: true }, { signal }).page()).total,
})

export const runListQuery = (input: ListRunsInput) =>
  queryOptions({
    queryKey: ['runs', 'list', input],
    queryFn: ({ signal }) => runyard.runs.list(input, { signal }).page(),
  })

/** `versions` says which state of the runs is meant: the same ones are not asked for again. */
export const runDetailsQuery = (runIds: string[], versions: string[]) =>
  queryOptions({
    // not below 'runs': an event makes old only those whose run it changed
    queryKey: ['runDetails', versions],
    queryFn: async ({ signal }) => (await runyard.runs.details({ run_ids: runIds.join(',') }, { signal })).run_details,
    enabled: runIds.length > 0,
    staleTime: Infinity,
    gcTime: 0,
  })

/** Exactly how many runs fit. */
export const runTotalQuery = (input: ListRunsInput) =>
  queryOptions({
    queryKey: ['runs', 'total', input],
    queryFn: async ({ signal }) => (await runyard.runs.list({ ...input, count_only: true }, { signal }).page()).total,
  })

export const runCountsQuery = (input: GetRunCountsInput) =>
  queryOptions({
    queryKey: ['runCounts', input],
    queryFn: ({ signal }) => runyard.runs.counts(input, { signal }),
  })
