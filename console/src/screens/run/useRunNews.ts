// What the events of a run make old on its page. The run itself and its steps look after themselves.
import { useQueryClient, type QueryKey } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { TeamStreamEvent } from '@runyard/sdk'
import { useLiveEvents } from '../../app/live.tsx'

/** Many events of one moment cause one refresh. */
const gatherMs = 400

export function useRunNews(runId: string): void {
  const queries = useQueryClient()
  const old = useRef(new Map<string, QueryKey>())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useLiveEvents((event) => {
    for (const queryKey of madeOld(event, runId)) old.current.set(JSON.stringify(queryKey), queryKey)
    if (old.current.size === 0) return
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      for (const queryKey of old.current.values()) void queries.invalidateQueries({ queryKey })
      old.current.clear()
    }, gatherMs)
  })
  useEffect(() => () => clearTimeout(timer.current), [])
}

function madeOld({ event, data }: TeamStreamEvent, runId: string): QueryKey[] {
  if (!('run_id' in data) || data.run_id !== runId) return []
  if (event === 'run.file.created')
    return [
      ['runFiles', runId],
      ['runFile', runId],
    ]
  if (event === 'run.tool_call.completed') {
    const { step, name } = data
    const pictures: QueryKey[] = name.startsWith('browser_') ? [['runPictures', runId]] : []
    return [['runStep', runId, step], ...pictures]
  }
  if (event === 'run.message.created') return []
  // it begins, waits, asks, is answered or ends
  return [
    ['runStep', runId],
    ['runAround', runId],
    ['runFiles', runId],
    ['runPictures', runId],
  ]
}
