// Holes while HTML is parsed: each is replaced by a mark, so that quotes and < inside an expression are not read as HTML.
import { splitText, type Tell } from '../expression/holes.ts'

// characters that no text has a use for: Unicode keeps them for marks inside programs
const open = '\uFDD0'
const close = '\uFDD1'
const mark = /\uFDD0(\d{1,6})\uFDD1/g

export interface MarkedHtml {
  html: string
  /** The text between the braces of each hole. */
  sources: { source: string; line: number }[]
}

export function markHoles(html: string, tell: Tell): MarkedHtml {
  const { literals, holes } = splitText(html.replaceAll(/[\uFDD0\uFDD1]/g, '\uFFFD'), 1, tell)
  const parts = holes.map((_hole, index) => `${literals[index]!}${open}${index}${close}`)
  return { html: parts.join('') + literals.at(-1)!, sources: holes }
}

export const hasMark = (text: string): boolean => text.includes(open)

/** A text of the parsed tree: what is written, and the numbers of the holes in it. */
export function splitMarks(text: string): { literals: string[]; indexes: number[] } {
  const literals: string[] = []
  const indexes: number[] = []
  let taken = 0
  for (const match of text.matchAll(mark)) {
    literals.push(text.slice(taken, match.index))
    indexes.push(Number(match[1]))
    taken = match.index + match[0].length
  }
  literals.push(text.slice(taken))
  return { literals, indexes }
}

/** A text of the parsed tree as it was written, for messages. */
export const withoutMarks = (text: string): string => text.replaceAll(mark, '{{ … }}')
