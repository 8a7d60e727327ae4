// Finds the fenced code blocks of a Markdown text by the rules of CommonMark (§4.5), in one pass.

export interface Fence {
  /** What follows the opening fence, trimmed. */
  info: string
  /** The line of the opening fence, from 1. */
  line: number
  /** The line after its closing fence. */
  nextLine: number
  /** Its lines, joined by line feeds, without a last one. */
  body: string
  isClosed: boolean
}

/** A line that looks like a fence to a person, but not to Markdown. */
export interface MissedFence {
  line: number
  info: string
  why: 'indented' | 'backtick' | 'comment'
}

interface FencedText {
  fences: Fence[]
  missed: MissedFence[]
}

interface Opening {
  mark: string
  length: number
  indent: number
  info: string
}

const run = /^(`{3,}|~{3,})(.*)$/

export function readFences(markdown: string): FencedText {
  const lines = markdown.split(/\r\n|\n|\r/)
  const found: FencedText = { fences: [], missed: [] }
  let at = 0
  while (at < lines.length) {
    const line = lines[at]!
    const opening = openingOf(line)
    if (/^ {0,3}<!--/.test(line)) at = afterComment(lines, at, found.missed)
    else if (opening && !('why' in opening)) at = takeBlock(lines, at, opening, found.fences)
    else {
      if (opening) found.missed.push({ line: at + 1, ...opening })
      at += 1
    }
  }
  return found
}

export function openingOf(line: string): Opening | Omit<MissedFence, 'line'> | undefined {
  const trimmed = line.trimStart()
  const match = run.exec(trimmed)
  if (!match) return undefined
  const mark = match[1]![0]!
  const rest = match[2]!
  const info = rest.trim()
  const before = line.slice(0, line.length - trimmed.length)
  // `` ```code``` `` is inline code: a fence of backticks has none in its info string
  if (mark === '`' && rest.includes('`')) return rest.includes('```') ? undefined : { info, why: 'backtick' }
  if (before.length > 3 || before.includes('\t')) return { info, why: 'indented' }
  return { mark, length: match[1]!.length, indent: before.length, info }
}

function takeBlock(lines: string[], at: number, opening: Opening, fences: Fence[]): number {
  const { info, indent } = opening
  const body: string[] = []
  let next = at + 1
  while (next < lines.length && !closes(lines[next]!, opening)) {
    body.push(unindented(lines[next]!, indent))
    next += 1
  }
  fences.push({ info, line: at + 1, nextLine: next + 2, body: body.join('\n'), isClosed: next < lines.length })
  return next + 1
}

function closes(line: string, { mark, length }: Opening): boolean {
  const indent = indentOf(line, 3)
  if (line[indent] !== mark) return false
  let end = indent
  while (line[end] === mark) end += 1
  return end - indent >= length && line.slice(end).trim() === ''
}

const unindented = (line: string, by: number): string => (by === 0 ? line : line.slice(indentOf(line, by)))

function indentOf(line: string, most: number): number {
  let spaces = 0
  while (spaces < most && line[spaces] === ' ') spaces += 1
  return spaces
}

/** A step inside a comment is switched off; one inside a comment that never ends was hardly meant to be. */
function afterComment(lines: string[], at: number, missed: MissedFence[]): number {
  const first = lines[at]!
  if (first.includes('-->', first.indexOf('<!--') + 4)) return at + 1
  const hidden: MissedFence[] = []
  for (let next = at + 1; next < lines.length; next += 1) {
    if (lines[next]!.includes('-->')) return next + 1
    const opening = openingOf(lines[next]!)
    if (opening) hidden.push({ line: next + 1, info: opening.info, why: 'comment' })
  }
  for (const fence of hidden) missed.push(fence)
  return lines.length
}
