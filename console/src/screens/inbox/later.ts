// "Not now": requests that a person put aside for a while. The service knows nothing of it, so it stays in this browser.
import { useSyncExternalStore } from 'react'
import { keepForTabs, listenToKept, storageOfBrowser } from '../../parts/browserStorage.ts'

/** By the id of the request: when it comes back, in milliseconds. */
export type Later = Readonly<Record<string, number>>

const place = (memberId: string): string => `runyard.later.${memberId}`

/** More are forgotten, those that come back first. */
const keptMax = 200
/** A request comes back this long before its deadline at the latest. */
const beforeDeadlineMs = 15 * 60_000

export function parseLater(text: string | null | undefined): Later {
  try {
    const found: unknown = JSON.parse(text ?? '{}')
    if (typeof found !== 'object' || found === null) return {}
    return Object.fromEntries(Object.entries(found).filter(([, until]) => Number.isFinite(until)))
  } catch {
    return {}
  }
}

/** What is put aside at this moment. */
export const asideAt = (later: Later, now: number): Later =>
  Object.fromEntries(Object.entries(later).filter(([, until]) => until > now))

/** When it comes back: as asked for, or before its deadline. Undefined: the deadline is too close for that. */
export function comesBack(expiresAt: string | null, until: number, now: number): number | undefined {
  const latest = expiresAt === null ? Infinity : new Date(expiresAt).getTime() - beforeDeadlineMs
  return latest <= now ? undefined : Math.min(until, latest)
}

/** Tomorrow at nine where the person is. */
export function tomorrowMorning(now: number): number {
  const day = new Date(now)
  day.setDate(day.getDate() + 1)
  return day.setHours(9, 0, 0, 0)
}

/** The same text gives the same object, so that nothing is drawn for nothing. */
let parsed: { text: string | null | undefined; later: Later } = { text: undefined, later: {} }

function read(memberId: string): Later {
  const text = storageOfBrowser()?.getItem(place(memberId))
  if (text !== parsed.text) parsed = { text, later: parseLater(text) }
  return parsed.later
}

export function putAside(memberId: string, requestId: string, until: number): void {
  const rest = Object.entries({ ...asideAt(read(memberId), Date.now()), [requestId]: until })
  write(memberId, Object.fromEntries(rest.sort((one, other) => other[1] - one[1]).slice(0, keptMax)))
}

export function takeBack(memberId: string, requestIds: string[]): void {
  const kept = Object.entries(read(memberId)).filter(([id]) => !requestIds.includes(id))
  write(memberId, Object.fromEntries(kept))
}

function write(memberId: string, later: Later): void {
  keepForTabs(place(memberId), JSON.stringify(later))
}

export const useLater = (memberId: string): Later => useSyncExternalStore(listenToKept, () => read(memberId))
