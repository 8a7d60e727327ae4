// When a failed delivery is tried again: by the schedule, a little early or late, or when the receiver said.
const jitter = 0.2
const retryAfterMaxS = 24 * 3600

/** Seconds until the next attempt after this many attempts; undefined: it was the last. */
export function delayAfter(scheduleS: number[], attempts: number, random = Math.random()): number | undefined {
  const seconds = scheduleS[attempts]
  return seconds === undefined ? undefined : seconds * (1 - jitter + 2 * jitter * random)
}

/** Retry-After of a 429 or 503 (RFC 9110 §10.2.3): seconds or a date, within a second and a day. */
export function retryAfterS(status: number, header: string | string[] | undefined, now: Date): number | undefined {
  if ((status !== 429 && status !== 503) || typeof header !== 'string') return undefined
  const text = header.trim()
  const seconds = /^\d+$/.test(text) ? Number(text) : secondsUntil(text, now)
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 1), retryAfterMaxS)
}

/** Takes an HTTP date in the form that is sent today (RFC 9110 §5.6.7); Date.parse alone takes almost anything for a date. */
const secondsUntil = (text: string, now: Date): number =>
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)
    ? (Date.parse(text) - now.getTime()) / 1000
    : NaN
