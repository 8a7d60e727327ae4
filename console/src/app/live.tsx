// The one stream of events of a tab. It tells the query cache what has changed, and says whether it is connected.
import type { TeamStreamEvent } from '@runyard/sdk'
import { useQueryClient, type QueryClient, type QueryKey } from '@tanstack/react-query'
import {
  createContext,
  use,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useMemo,
  useState,
  type ReactNode,
} from 'react'
import { noticeError, runyard } from './client.ts'

/** `reconnecting`: what is shown may be old; `paused`: the person wants nothing to move. */
export type LiveState = 'live' | 'reconnecting' | 'paused'

type Handler = (event: TeamStreamEvent) => void

interface Live {
  state: LiveState
  setPaused: (isPaused: boolean) => void
  subscribe: (handler: Handler) => () => void
}

const LiveContext = createContext<Live | undefined>(undefined)

export function useLive(): Live {
  const live = use(LiveContext)
  if (!live) throw new Error('useLive outside of LiveProvider')
  return live
}

/** Calls the handler for each event of the team while the part is shown. */
export function useLiveEvents(handler: Handler): void {
  const { subscribe } = useLive()
  const onEvent = useEffectEvent(handler)
  useEffect(() => subscribe((event) => onEvent(event)), [subscribe])
}

/** Many events of one moment cause one refresh. */
const gatherMs = 300
/** The stream never gives up: a service may be away for a night. */
const patienceMs = 7 * 86_400_000

export function LiveProvider({ children }: { children: ReactNode }) {
  const queries = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const [isPaused, setPaused] = useState(false)
  const [handlers] = useState(() => new Set<Handler>())

  // before any screen asks for something: what happens between its answer and the opening of the stream would be missed
  useLayoutEffect(() => {
    if (isPaused) return undefined
    const stop = new AbortController()
    const refresh = gathered(queries)
    const follow = async () => {
      let isFirst = true
      const onState = (state: 'open' | 'broken') => {
        setOpen(state === 'open')
        // what happened while nobody listened may be older than the stream keeps
        if (state === 'open' && !isFirst) void queries.invalidateQueries()
        isFirst = false
      }
      const options = { signal: stop.signal, giveUpAfterMs: patienceMs, onState }
      for await (const event of runyard.teams.events(options)) {
        if (event.event === 'gap') void queries.invalidateQueries()
        for (const key of changedBy(event)) refresh.add(key)
        for (const handler of handlers) handler(event)
      }
    }
    follow().catch((error: unknown) => {
      if (stop.signal.aborted) return
      setOpen(false)
      noticeError(error)
    })
    return () => {
      stop.abort()
      refresh.stop()
    }
  }, [isPaused, queries, handlers])

  const live = useMemo<Live>(
    () => ({
      state: isPaused ? 'paused' : isOpen ? 'live' : 'reconnecting',
      setPaused(pause) {
        setPaused(pause)
        if (!pause) void queries.invalidateQueries()
      },
      subscribe(handler) {
        handlers.add(handler)
        return () => handlers.delete(handler)
      },
    }),
    [isOpen, isPaused, handlers, queries],
  )
  return <LiveContext value={live}>{children}</LiveContext>
}

function gathered(queries: QueryClient) {
  const waiting = new Map<string, QueryKey>()
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    add(key: QueryKey) {
      waiting.set(JSON.stringify(key), key)
      timer ??= setTimeout(() => {
        timer = undefined
        for (const queryKey of waiting.values()) void queries.invalidateQueries({ queryKey })
        waiting.clear()
      }, gatherMs)
    },
    stop: () => clearTimeout(timer),
  }
}

/** Which queries an event makes old, by the beginning of their keys (see queries/). */
function changedBy({ event, data }: TeamStreamEvent): QueryKey[] {
  const { run_id, agent_id, case_id, queue_id, connection_id } = data as Partial<Record<string, string>>
  const keys: QueryKey[] = []
  if (run_id !== undefined) keys.push(['run', run_id])
  if (event === 'run.started' || event === 'run.paused' || event === 'run.completed' || event === 'run.failed')
    keys.push(['runs'], ['runCounts'], ['overview'], ['agentFigures'])
  if (event.startsWith('human_request.')) keys.push(['requests'], ['overview'], ['runs'])
  if (event.startsWith('queue.')) keys.push(['queues'], ['queue', queue_id ?? ''])
  if (case_id !== undefined) keys.push(['case', case_id])
  if (event === 'assignment.build.published') keys.push(['agents'], ['agent', agent_id ?? ''], ['agentFigures'])
  if (event.startsWith('connection.')) keys.push(['connections'], ['connection', connection_id ?? ''], ['overview'])
  return keys
}
