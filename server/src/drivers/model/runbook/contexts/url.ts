// Reads a URL with holes: its scheme and host are written out, and a value stays inside its own part.
import { markHoles } from '../../../../base/expression/holes.ts'
import type { Template } from '../template.ts'

const authority = /^https?:\/\/([^/?#\\\s\uFFFC]+)(?=[/?#]|$)/i

/** Marks the holes of a URL; returns a sentence if the text is not a URL. */
export function checkUrl(template: Template): string | undefined {
  const { text, positions } = markHoles(template)
  const match = authority.exec(text)
  if (!match) {
    return /^(?:https?:\/\/)?[^/?#]*\uFFFC/i.test(text)
      ? 'Write scheme and host of the URL out; a value can stand only after them: https://example.com/items/{{ … }}.'
      : 'Write a whole URL: https://example.com/path.'
  }
  if (match[1]!.includes('@')) return 'Take user and password out of the URL. Use connection= or a header.'
  if (/[\s\\]/.test(text)) return 'A URL has no spaces and no backslashes. Write %20 for a space.'
  if (!URL.canParse(text.replaceAll('\uFFFC', 'x'))) return 'This is not a URL. Check host and port.'
  const query = text.search(/[?#]/)
  for (const [hole, at] of positions.entries()) {
    if (/%[0-9a-f]?$/i.test(text.slice(Math.max(0, at - 2), at)))
      return 'A value cannot stand right after %. Write %25 for the sign itself.'
    template.holes[hole]!.part = query !== -1 && at > query ? 'query' : 'path'
  }
  return undefined
}
