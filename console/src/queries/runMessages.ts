// The messages of a run in pages, oldest first. New ones are put in as their events come, so a long conversation is not read again.
import type { ListRunMessagesAnswer, Message } from '@runyard/sdk'
import { infiniteQueryOptions, type InfiniteData } from '@tanstack/react-query'
import { runyard } from '../app/client.ts'

export const messagesAPage = 100

/** The first page is the one with the newest messages; those before and after it are asked for. */
export const runMessagesQuery = (runId: string, newest: number) =>
  infiniteQueryOptions({
    queryKey: ['runMessages', runId],
    queryFn: ({ pageParam, signal }) =>
      runyard.runs.listMessages(runId, { limit: messagesAPage, offset: pageParam }, { signal }).page(),
    initialPageParam: Math.max(0, Math.floor((newest - 1) / messagesAPage) * messagesAPage),
    getNextPageParam: ({ offset, total }) => (offset + messagesAPage < total ? offset + messagesAPage : undefined),
    getPreviousPageParam: ({ offset }) => (offset > 0 ? Math.max(0, offset - messagesAPage) : undefined),
  })

type Pages = InfiniteData<ListRunMessagesAnswer>

/** With the message at its end; undefined where one before it is missing, so that the page must be read again. */
export function withMessage(pages: Pages, message: Message): Pages | undefined {
  const last = pages.pages.at(-1)
  if (!last) return undefined
  const newest = last.messages.at(-1)?.seq ?? last.offset
  // it came with a page already
  if (message.seq <= newest) return pages
  if (message.seq !== newest + 1 || last.messages.length >= messagesAPage) return undefined
  const page = { ...last, messages: [...last.messages, message], total: Math.max(last.total, message.seq) }
  return { ...pages, pages: [...pages.pages.slice(0, -1), page] }
}
