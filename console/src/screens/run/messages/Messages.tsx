// All messages of a run in order, live, with a place to write one.
import type { GetRunAnswer } from '@runyard/sdk'
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useLiveEvents } from '../../../app/live.tsx'
import { counted } from '../../../parts/amounts.ts'
import { Button } from '../../../parts/Button.tsx'
import { Empty, Failed, Skeleton } from '../../../parts/states.tsx'
import { runAroundQuery } from '../../../queries/run.ts'
import { runMessagesQuery, withMessage } from '../../../queries/runMessages.ts'
import { Composer } from './Composer.tsx'
import { MessageItem } from './MessageItem.tsx'
import style from './Messages.module.css'

type Run = GetRunAnswer['run']

export function Messages({ run }: { run: Run }) {
  const around = useQuery(runAroundQuery(run))
  if (around.error && !around.data) return <Failed error={around.error} onRetry={() => void around.refetch()} />
  if (!around.data) return <Skeleton what="messages" />
  return <Conversation run={run} newest={around.data.messages_total} />
}

function Conversation({ run, newest }: { run: Run; newest: number }) {
  const options = runMessagesQuery(run.id, newest)
  const pages = useInfiniteQuery(options)
  const queries = useQueryClient()
  const place = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  const messages = pages.data?.pages.flatMap((page) => page.messages)
  const last = messages?.at(-1)?.seq

  useLiveEvents(({ event, data }) => {
    if (event !== 'run.message.created' || data.run_id !== run.id) return
    const before = queries.getQueryData(options.queryKey)
    if (!before || pages.hasNextPage) return
    const after = withMessage(before, data.message)
    if (after) queries.setQueryData(options.queryKey, after)
    else void queries.invalidateQueries({ queryKey: options.queryKey })
  })
  // who reads the newest message sees the next one; who reads an older one stays there
  useEffect(() => {
    if (isAtEnd.current) place.current?.scrollTo({ top: place.current.scrollHeight })
  }, [last])

  if (pages.error && !pages.data) return <Failed error={pages.error} onRetry={() => void pages.refetch()} />
  if (!messages) return <Skeleton what="messages" />
  const earlier = pages.data?.pages[0]?.offset ?? 0
  return (
    <div className={style.messages}>
      <div
        className={style.list}
        ref={place}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          isAtEnd.current = scrollHeight - scrollTop - clientHeight < 40
        }}
      >
        {pages.hasPreviousPage && (
          <Button
            className={style.more}
            isBusy={pages.isFetchingPreviousPage}
            onClick={() => void pages.fetchPreviousPage()}
          >
            Show earlier ({counted(earlier, 'message')})
          </Button>
        )}
        {messages.length === 0 ? (
          <Empty icon="message" title="No messages">
            The run was started without one, and it has said nothing yet.
          </Empty>
        ) : (
          <ol>
            {messages.map((message) => (
              <MessageItem key={message.id} message={message} />
            ))}
          </ol>
        )}
        {pages.hasNextPage && (
          <Button className={style.more} isBusy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
            Show later
          </Button>
        )}
      </div>
      <div className={style.write}>
        <Composer run={run} />
      </div>
    </div>
  )
}
