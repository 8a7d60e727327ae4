// Queues of cases, their cases, and what works on them.
import type { ListQueuesInput, SearchCasesInput } from '@runyard/sdk'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { runyard } from '../app/client.ts'

/** By name, for choosing one: the first 250. */
export const queueNamesQuery = queryOptions({
  queryKey: ['queues', 'names'],
  queryFn: async ({ signal }) => (await runyard.queues.list({ limit: 250 }, { signal }).page()).queues,
  staleTime: 60_000,
})

export const queueListQuery = (input: ListQueuesInput) =>
  queryOptions({
    queryKey: ['queues', 'list', input],
    queryFn: ({ signal }) => runyard.queues.list(input, { signal }).page(),
  })

export const queueQuery = (queueId: string) =>
  queryOptions({
    queryKey: ['queue', queueId],
    queryFn: async ({ signal }) => (await runyard.queues.get(queueId, { signal })).queue,
  })

export const queueAgentsQuery = (queueId: string) =>
  queryOptions({
    queryKey: ['queueWork', queueId, 'agents'],
    queryFn: ({ signal }) => runyard.queues.listAgents(queueId, { signal }),
  })

export const queueWhyQuery = (queueId: string) =>
  queryOptions({
    queryKey: ['queueWork', queueId, 'why'],
    queryFn: ({ signal }) => runyard.queues.explain(queueId, { signal }),
  })

export const caseAgesQuery = (queueId: string) =>
  queryOptions({
    queryKey: ['cases', queueId, 'ages'],
    queryFn: ({ signal }) => runyard.cases.ages(queueId, { signal }),
  })

/** The first 100, enough to choose from. */
export const labelsQuery = (queueId: string) =>
  queryOptions({
    queryKey: ['labels', queueId],
    queryFn: async ({ signal }) => (await runyard.labels.list(queueId, { limit: 100 }, { signal }).page()).labels,
  })

/** Not below 'queue': an event for each of a thousand cases must not ask a thousand times (see useQueueNews). */
export const caseListQuery = (queueId: string, input: SearchCasesInput) =>
  queryOptions({
    queryKey: ['cases', queueId, 'list', input],
    queryFn: ({ signal }) => runyard.cases.search(queueId, input, { signal }).page(),
  })

const columnPage = 50

/** One column of the board, page by page as it is scrolled. */
export const caseColumnQuery = (queueId: string, input: SearchCasesInput) =>
  infiniteQueryOptions({
    queryKey: ['cases', queueId, 'column', input],
    queryFn: ({ signal, pageParam }) =>
      runyard.cases.search(queueId, { ...input, limit: columnPage, offset: pageParam }, { signal }).page(),
    initialPageParam: 0,
    getNextPageParam: ({ offset, limit, total }) => (offset + limit < total ? offset + limit : undefined),
  })

export const bulkActionsQuery = (queueId: string) =>
  queryOptions({
    queryKey: ['bulkActions', queueId],
    queryFn: async ({ signal }) =>
      (await runyard.cases.listBulkActions(queueId, { limit: 10 }, { signal }).page()).bulk_actions,
  })

export const caseQuery = (caseId: string) =>
  queryOptions({
    queryKey: ['case', caseId],
    queryFn: ({ signal }) => runyard.cases.get(caseId, { signal }),
  })

export const caseRunsQuery = (caseId: string) =>
  queryOptions({
    queryKey: ['case', caseId, 'runs'],
    queryFn: async ({ signal }) => (await runyard.cases.listRuns(caseId, { signal })).runs,
  })
