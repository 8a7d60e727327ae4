// A moment in words: exact, as a clock shows it, or relative to now.
import { duration } from './amounts.ts'

/** `16 Nov 2026, 01:11:32 Europe/Berlin` */
export function exactTime(iso: string, timeZone: string): string {
  const text = new Date(iso).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'medium', timeZone })
  return `${text} ${timeZone}`
}

/** `01:11`, or with its day where it is not today. */
export function clockTime(iso: string, timeZone: string, from = Date.now()): string {
  const at = new Date(iso)
  const time = at.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', timeZone })
  const day = (date: Date | number) => new Date(date).toLocaleDateString('en-CA', { timeZone })
  return day(at) === day(from)
    ? time
    : `${at.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone })}, ${time}`
}

/** `just now`, `4 min ago`, `in 3 h`. The two largest units only where asked for. */
export function relativeTime(iso: string, from: number): string {
  const ms = new Date(iso).getTime() - from
  const away = Math.abs(ms)
  if (away < 5000) return 'just now'
  const [amount = '', unit = ''] = duration(Math.max(away, 10_000)).split(' ')
  return ms < 0 ? `${amount} ${unit} ago` : `in ${amount} ${unit}`
}

/** The first moment that is after this one; times of the API have milliseconds. */
export const momentAfter = (iso: string): string => new Date(Date.parse(iso) + 1).toISOString()
