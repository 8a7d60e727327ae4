// How wide a text is on the screen, in cells: wide characters take two, marks that join another one none.

const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u
const without = /\p{M}|[\u200b-\u200f\ufeff]/u

const cellsOf = (letter: string): number => (without.test(letter) ? 0 : wide.test(letter) ? 2 : 1)

export function widthOf(text: string): number {
  // oxlint-disable-next-line no-control-regex -- plain text is by far the most frequent
  if (/^[\u0000-\u007f]*$/.test(text)) return text.length
  let width = 0
  for (const letter of text) width += cellsOf(letter)
  return width
}

/** The text, or its beginning with `…`, in at most so much room. */
export function cutTo(text: string, room: number): string {
  if (widthOf(text) <= room) return text
  let cut = ''
  let width = 0
  for (const letter of text) {
    width += cellsOf(letter)
    if (width > room - 1) break
    cut += letter
  }
  return room > 0 ? `${cut}…` : ''
}

export const padTo = (text: string, room: number): string => text + ' '.repeat(Math.max(0, room - widthOf(text)))
