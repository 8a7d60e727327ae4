// Bulk actions of a queue that the service carries out: how far each is, how fast, and a way to stop it. The service knows them, so a reload
// and every other browser show the same.
import type { BulkAction } from '@runyard/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { runyard } from '../../../app/client.ts'
import { useSession } from '../../../app/session.tsx'
import { count, counted } from '../../../parts/amounts.ts'
import { Button } from '../../../parts/Button.tsx'
import { Progress } from '../../../parts/Progress.tsx'
import { useNow } from '../../../parts/Time.tsx'
import { toastError } from '../../../parts/toasts.tsx'
import { bulkActionsQuery } from '../../../queries/queues.ts'
import style from './BulkProgress.module.css'
import { bulkDoing, bulkDone } from './kinds.ts'

const askMs = 1000
/** What ended longer ago is not shown to somebody who comes now. */
const shownForMs = 10 * 60_000

export default function BulkProgress({ queueId }: { queueId: string }) {
  const queries = useQueryClient()
  const { data = [] } = useQuery({
    ...bulkActionsQuery(queueId),
    refetchInterval: ({ state }) => (state.data?.some(({ status }) => status === 'running') ? askMs : false),
  })
  const [closed, setClosed] = useState<string[]>([])
  const now = useNow(10_000)
  const running = data.filter(({ status }) => status === 'running').length
  // lists and counts are those of after its end
  useEffect(() => {
    if (running > 0) return
    for (const queryKey of [
      ['cases', queueId],
      ['queue', queueId],
    ])
      void queries.invalidateQueries({ queryKey })
  }, [running, queries, queueId])
  const shown = data.filter(
    ({ id, status, completed_at }) =>
      !closed.includes(id) &&
      (status === 'running' || (completed_at !== null && now - Date.parse(completed_at) < shownForMs)),
  )
  if (shown.length === 0) return null
  return (
    <section className={style.actions} aria-label="Bulk actions">
      {shown.map((action) => (
        <One key={action.id} action={action} onClose={() => setClosed((before) => [...before, action.id])} />
      ))}
    </section>
  )
}

function One({ action, onClose }: { action: BulkAction; onClose: () => void }) {
  const queries = useQueryClient()
  const { unable } = useSession()
  const now = useNow()
  const { id, queue_id, kind, status, total, skipped_count: skipped, error, created_at } = action
  const stop = useMutation({
    mutationFn: () => runyard.cases.stopBulkAction(id),
    onError: (problem) => toastError('It was not stopped', problem),
    onSettled: () => queries.invalidateQueries({ queryKey: ['bulkActions', queue_id] }),
  })
  const done = bulkDone(action)
  const over = done + skipped
  const seconds = Math.max(1, (now - Date.parse(created_at)) / 1000)
  const perSecond = over > 0 ? over / seconds : undefined
  const isRunning = status === 'running'
  return (
    <Progress
      title={titleOf(action, done, skipped)}
      state={isRunning ? 'running' : status === 'completed' ? 'ended' : 'stopped'}
      done={over}
      // cases that somebody deleted since then are not found
      total={status === 'completed' ? over : (total ?? undefined)}
      perSecond={isRunning ? perSecond : undefined}
      leftMs={isRunning && perSecond !== undefined && total !== null ? ((total - over) / perSecond) * 1000 : undefined}
      waits={isRunning && over === 0 ? 'begins' : (error ?? undefined)}
    >
      {isRunning ? (
        <Button
          icon="stop"
          isBusy={stop.isPending}
          unable={unable('queues:write')}
          onClick={() => stop.mutate()}
          aria-label={`Stop: ${bulkDoing[kind]}`}
        >
          Stop
        </Button>
      ) : (
        <Button kind="quiet" icon="cross" aria-label={`Close: ${bulkDoing[kind]}`} onClick={onClose} />
      )}
    </Progress>
  )
}

function titleOf({ kind, status }: BulkAction, done: number, skipped: number): string {
  if (status !== 'completed') return bulkDoing[kind]
  return `${counted(done, 'case')} done${skipped > 0 ? `, ${count(skipped)} left out` : ''}`
}
