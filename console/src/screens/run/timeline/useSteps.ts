// The steps of a run while the page shows it: they grow by themselves.
import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import { noticeError } from '../../../app/client.ts'
import { useLive, useLiveEvents } from '../../../app/live.tsx'
import { readSteps } from './readSteps.ts'
import { createStepStore, type Steps } from './stepStore.ts'

/** Many events of one moment cause one reading. */
const gatherMs = 250
/** No event tells that a step has begun. */
const lookAgainMs = 2000

export function useSteps(runId: string, isActive: boolean): Steps & { refresh: () => void } {
  const store = useMemo(() => createStepStore((after, signal) => readSteps(runId, after, signal)), [runId])
  const steps = useSyncExternalStore(store.subscribe, store.snapshot)
  const { state } = useLive()

  // also when the connection is back, and when the run has moved on
  useEffect(() => {
    if (state !== 'paused') store.refresh()
  }, [store, state, isActive])
  useEffect(() => {
    if (!isActive || state !== 'live') return undefined
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') store.refresh()
    }, lookAgainMs)
    return () => clearInterval(timer)
  }, [store, isActive, state])
  const gathering = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(
    () => () => {
      store.stop()
      clearTimeout(gathering.current)
      gathering.current = undefined
    },
    [store],
  )
  useLiveEvents(({ data }) => {
    if (!('run_id' in data) || data.run_id !== runId) return
    gathering.current ??= setTimeout(() => {
      gathering.current = undefined
      store.refresh()
    }, gatherMs)
  })
  useEffect(() => {
    if (steps.error) noticeError(steps.error)
  }, [steps.error])
  return useMemo(() => ({ ...steps, refresh: store.refresh }), [steps, store])
}
