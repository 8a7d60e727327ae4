// Times of a filter: a moment, or words such as "the last 24 hours", which a saved view keeps as words.
import { clockTime } from '../moments.ts'

const hour = 3_600_000
const day = 24 * hour

export const presets = [
  { text: '-1h', says: 'the last hour', ms: hour },
  { text: '-6h', says: 'the last 6 hours', ms: 6 * hour },
  { text: '-24h', says: 'the last 24 hours', ms: day },
  { text: 'today', says: 'today', ms: undefined },
  { text: '-7d', says: 'the last 7 days', ms: 7 * day },
  { text: '-30d', says: 'the last 30 days', ms: 30 * day },
] as const

const presetOf = (text: string) => presets.find((preset) => preset.text === text)

const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z$/

export const isTimeText = (text: string): boolean =>
  presetOf(text) !== undefined || (moment.test(text) && !Number.isNaN(Date.parse(text)))

/** The moment that a text stands for. `zone` is that of the browser or UTC: it says when a day begins. */
export function momentOf(text: string, now: number, zone: string): string {
  const preset = presetOf(text)
  if (!preset) return new Date(text).toISOString()
  if (preset.ms !== undefined) return new Date(now - preset.ms).toISOString()
  const midnight = new Date(now)
  if (zone === 'UTC') midnight.setUTCHours(0, 0, 0, 0)
  else midnight.setHours(0, 0, 0, 0)
  return midnight.toISOString()
}

/** `the last 24 hours`, `20:00`, `16 Nov, 20:00`. */
export const timeWords = (text: string, zone: string): string => presetOf(text)?.says ?? clockTime(text, zone)

/** What a field of the kind `datetime-local` shows for a moment, in the zone. */
export function fieldOf(iso: string, zone: string): string {
  const at = new Date(iso)
  const shifted = zone === 'UTC' ? at : new Date(at.getTime() - at.getTimezoneOffset() * 60_000)
  return shifted.toISOString().slice(0, 16)
}

/** The moment that somebody wrote into such a field; undefined: none. */
export function momentOfField(value: string, zone: string): string | undefined {
  const at = new Date(zone === 'UTC' ? `${value}Z` : value)
  return value === '' || Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}
