// Sandboxes: their list, what they may hold, and the files of one of them. No event tells that they change, so they are asked again.
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { runyard } from '../app/client.ts'

const askAgainMs = 10_000

export type MadeBy = 'caller' | 'run'

export const sandboxesQuery = (madeBy: MadeBy, page: { limit: number; offset: number }) =>
  queryOptions({
    queryKey: ['sandboxes', madeBy, page],
    queryFn: ({ signal }) => runyard.sandboxes.list({ made_by: madeBy, ...page }, { signal }).page(),
    placeholderData: keepPreviousData,
    refetchInterval: askAgainMs,
  })

export const sandboxUsageQuery = queryOptions({
  queryKey: ['sandboxUsage'],
  queryFn: ({ signal }) => runyard.sandboxes.usage({ signal }),
  refetchInterval: askAgainMs,
})

/** One that a command or a run holds is asked for sooner. */
export const sandboxQuery = (id: string) =>
  queryOptions({
    queryKey: ['sandbox', id],
    queryFn: ({ signal }) => runyard.sandboxes.get(id, { signal }),
    refetchInterval: ({ state: { data } }) => (data?.status === 'busy' ? 2000 : askAgainMs),
  })

export const sandboxFilesQuery = (id: string, path?: string) =>
  queryOptions({
    queryKey: ['sandboxFiles', id, path ?? ''],
    queryFn: async ({ signal }) =>
      (await runyard.sandboxes.listFiles(id, path === undefined ? {} : { path }, { signal })).files,
  })

/** What is larger than 10 MiB comes without its content. */
export const sandboxFileQuery = (id: string, path: string) =>
  queryOptions({
    queryKey: ['sandboxFile', id, path],
    queryFn: ({ signal }) => runyard.sandboxes.getFileContent(id, { path }, { signal }),
  })
