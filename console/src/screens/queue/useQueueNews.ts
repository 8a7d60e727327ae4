// What happens to the cases of a queue makes its lists old. Thousands of cases may change in a second, so the lists are asked for now and then.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useLive, useLiveEvents } from '../../app/live.tsx'

const oftenMs = 2000
/** Not every change of a case is an event: a label, a release. */
const anywayMs = 20_000

export function useQueueNews(queueId: string): void {
  const queries = useQueryClient()
  const { state } = useLive()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const learn = () => {
    for (const queryKey of [
      ['cases', queueId],
      ['queueWork', queueId],
    ])
      void queries.invalidateQueries({ queryKey }, { cancelRefetch: false })
  }
  useLiveEvents(({ data }) => {
    if ((data as { queue_id?: string }).queue_id !== queueId || timer.current !== undefined) return
    timer.current = setTimeout(() => {
      timer.current = undefined
      learn()
    }, oftenMs)
  })
  useEffect(() => {
    if (state === 'paused') return undefined
    const every = setInterval(() => {
      if (document.visibilityState === 'visible') void queries.invalidateQueries({ queryKey: ['cases', queueId] })
    }, anywayMs)
    return () => clearInterval(every)
  }, [queries, queueId, state])
  useEffect(() => () => clearTimeout(timer.current), [])
}
