// A value as text: a text as it is, anything else as JSON.

/** A step cannot be written with these values; the message says why. */
export class CannotRender extends Error {}

/** More than any tool takes; a value that is joined with itself must not fill the memory. */
export const charactersMax = 1_000_000

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
