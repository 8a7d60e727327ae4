// A value as text: a text as it is, anything else as JSON.

/** A step cannot be written with these values; the message says why. */
export class CannotRender extends Error {}

/** More than any tool takes; a value that is joined with itself must not fill the memory. */
export const charactersMax = 1_000_000

/** How many characters the expressions of one turn may read: about 100 ms of one core. A text of a megabyte can be read five times. */
export const stepsOfTurn = 5_000_000

export const tooMuchWork = 'its expressions would look at too many values. Read large values once, and in fewer steps.'

/** Quotes a value for a message about it. */
export function quoted(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  return jsonOf(typeof value === 'string' ? value.slice(0, 40) : value)
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : jsonOf(value)
}

export function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null'
  } catch (error) {
    // the only way in which data that came as JSON can fail
    if (error instanceof RangeError)
      throw new CannotRender('A value is nested too deeply to be written.', { cause: error })
    throw error
  }
}
