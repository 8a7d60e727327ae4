// What is marked in a line of a procedure: the fence, the kind of a block, names of options, verbs, and values in braces.
import type { Block } from './blocks.ts'

export interface Mark {
  from: number
  to: number
  as: 'fence' | 'kind' | 'option' | 'verb' | 'value'
}

const values = /\\?\{\{.*?(?:\}\}|$)/g
/** The word with which a line says what is done; whether there is such a word, the service knows. */
const verbs: Record<string, RegExp> = {
  http: /^\s*([A-Z]+)\b/,
  browser: /^\s*([a-z_]+)\b/,
  case: /^\s*([a-z]+)\b/,
}

/** A line of a block, `line` counted from 1. */
export function markLine(text: string, line: number, { kind, openLine, closeLine, isClosed }: Block): Mark[] {
  if (line === openLine) return openingMarks(text)
  if (line === closeLine && isClosed) return [{ from: 0, to: text.length, as: 'fence' }]
  const isHead = kind === 'browser' || line === openLine + 1
  const verb = isHead ? verbs[kind]?.exec(text) : undefined
  const marks: Mark[] = verb?.[1]
    ? [{ from: text.indexOf(verb[1]), to: text.indexOf(verb[1]) + verb[1].length, as: 'verb' }]
    : []
  return [...marks, ...valueMarks(text)]
}

const valueMarks = (text: string): Mark[] =>
  [...text.matchAll(values)]
    // two braces after a backslash are two braces
    .filter(([found]) => !found.startsWith('\\'))
    .map((found) => ({ from: found.index, to: found.index + found[0].length, as: 'value' as const }))

function openingMarks(text: string): Mark[] {
  const [, indent = '', fence = '', gap = '', kind = ''] = /^( {0,3})(`{3,}|~{3,})(\s*)([a-z]*)/.exec(text) ?? []
  const begin = indent.length + fence.length
  const marks: Mark[] = [{ from: indent.length, to: begin, as: 'fence' }]
  const kindEnd = begin + gap.length + kind.length
  if (kind !== '') marks.push({ from: begin + gap.length, to: kindEnd, as: 'kind' })
  const options = /([A-Za-z_][\w-]*=)(?:"(?:[^"\\]|\\.)*"?|\S*)/g
  options.lastIndex = kindEnd
  for (let found = options.exec(text); found; found = options.exec(text)) {
    const name = found[1] ?? ''
    marks.push({ from: found.index, to: found.index + name.length, as: 'option' })
    for (const { from, to } of valueMarks(found[0]))
      marks.push({ from: found.index + from, to: found.index + to, as: 'value' })
  }
  return marks
}
