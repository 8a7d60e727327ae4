// A moment as a date field of the browser has it, without a zone, and as the service has it.

const pad = (value: number, length = 2): string => String(value).padStart(length, '0')

/** The text of an `<input type="datetime-local">`; empty for what is no moment. */
export function toLocalTime(iso: string, zone: 'local' | 'utc'): string {
  const at = new Date(iso)
  if (Number.isNaN(at.getTime())) return ''
  if (zone === 'utc') return at.toISOString().slice(0, 19)
  const date = `${pad(at.getFullYear(), 4)}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`
  return `${date}T${pad(at.getHours())}:${pad(at.getMinutes())}:${pad(at.getSeconds())}`
}

/** Undefined while the moment is not whole. */
export function fromLocalTime(text: string, zone: 'local' | 'utc'): string | undefined {
  const at = new Date(zone === 'utc' ? `${text}Z` : text)
  return text === '' || Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}
