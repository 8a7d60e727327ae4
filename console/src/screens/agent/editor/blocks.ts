// Where the fenced blocks of a procedure are, for the editor: the server's parser decides what is right, this only what is drawn as a block.

export interface Block {
  /** The first word after the fence; `` without one. */
  kind: string
  /** From 1, like lines everywhere. */
  openLine: number
  /** The last line of the text where the fence is never closed. */
  closeLine: number
  isClosed: boolean
}

const opening = /^ {0,3}(`{3,}|~{3,})([^`]*)$/

/** By the rules of CommonMark: a fence is closed by one that is at least as long, and comments hide blocks. */
export function findBlocks(lines: readonly string[]): Block[] {
  const blocks: Block[] = []
  let at = 0
  while (at < lines.length) {
    const line = lines[at] ?? ''
    if (/^ {0,3}<!--/.test(line)) {
      at = afterComment(lines, at)
      continue
    }
    const [, fence = '', info = ''] = opening.exec(line) ?? []
    if (fence === '') {
      at += 1
      continue
    }
    const closing = new RegExp(`^ {0,3}\\${fence[0]}{${fence.length},}\\s*$`)
    let end = at + 1
    while (end < lines.length && !closing.test(lines[end] ?? '')) end += 1
    const isClosed = end < lines.length
    const kind = /^\s*([a-z]+)/.exec(info)?.[1] ?? ''
    blocks.push({ kind, openLine: at + 1, closeLine: isClosed ? end + 1 : lines.length, isClosed })
    at = end + 1
  }
  return blocks
}

function afterComment(lines: readonly string[], at: number): number {
  const first = lines[at] ?? ''
  if (first.includes('-->', first.indexOf('<!--') + 4)) return at + 1
  const end = lines.findIndex((line, index) => index > at && line.includes('-->'))
  return end === -1 ? lines.length : end + 1
}

/** The block that a line belongs to, its fences included. */
export const blockAt = (blocks: readonly Block[], line: number): Block | undefined =>
  blocks.find(({ openLine, closeLine }) => line >= openLine && line <= closeLine)
