// A moment: how long ago it was or how far away it is, with the exact time and its zone on hover.
import { useSyncExternalStore } from 'react'
import { zoneOf, useSetting } from '../app/settings.ts'
import { duration } from './amounts.ts'
import { clockTime, exactTime, relativeTime } from './moments.ts'

export { clockTime, exactTime, relativeTime } from './moments.ts'

let now = Date.now()
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

/** One timer for all moments of the page. */
function listen(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    now = Date.now()
    for (const each of listeners) each()
  }, 1000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** The time now, which redraws what uses it once a second, or once in `everyMs`. */
export function useNow(everyMs = 1000): number {
  return useSyncExternalStore(listen, () => Math.floor(now / everyMs) * everyMs)
}

export function Time({ at, kind = 'relative' }: { at: string; kind?: 'relative' | 'clock' }) {
  const timeZone = zoneOf(useSetting('zone'))
  const from = useNow(5000)
  const exact = exactTime(at, timeZone)
  return (
    <time dateTime={at} title={exact}>
      {kind === 'clock' ? clockTime(at, timeZone, from) : relativeTime(at, from)}
    </time>
  )
}

/** How long something has been going on, growing by the second, or how long it took. */
export function Elapsed({ since, until }: { since: string; until?: string | null }) {
  const from = useNow()
  const end = until ? new Date(until).getTime() : from
  return <>{duration(Math.max(0, end - new Date(since).getTime()))}</>
}
