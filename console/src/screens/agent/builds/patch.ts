// Reads a unified diff, and finds which words of a changed line differ.

export interface Row {
  mark: ' ' | '-' | '+'
  text: string
  /** What differs from the line that it replaces, or that replaces it. */
  changed?: [from: number, to: number]
}

export interface Hunk {
  /** Where it begins in the newer text, from 1. */
  line: number
  rows: Row[]
}

export interface Patch {
  hunks: Hunk[]
  added: number
  removed: number
}

const head = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@/

export function readPatch(text: string): Patch {
  const hunks: Hunk[] = []
  for (const line of text.split('\n')) {
    const begins = head.exec(line)
    if (begins) hunks.push({ line: Number(begins[1]), rows: [] })
    const rows = hunks.at(-1)?.rows
    const mark = line[0]
    if (rows && !begins && (mark === ' ' || mark === '-' || mark === '+')) rows.push({ mark, text: line.slice(1) })
  }
  for (const hunk of hunks) hunk.rows = withWords(hunk.rows)
  const all = hunks.flatMap(({ rows }) => rows)
  return {
    hunks,
    added: all.filter(({ mark }) => mark === '+').length,
    removed: all.filter(({ mark }) => mark === '-').length,
  }
}

/** Lines that were removed and lines that were added right after them replace each other, one by one. */
function withWords(rows: Row[]): Row[] {
  const marked = [...rows]
  for (let at = 0; at < rows.length;) {
    const removed = countFrom(rows, at, '-')
    const added = countFrom(rows, at + removed, '+')
    for (let n = 0; n < Math.min(removed, added); n += 1) {
      const [old, now] = [rows[at + n], rows[at + removed + n]]
      if (!old || !now) continue
      const { before, after } = differing(old.text, now.text)
      marked[at + n] = { ...old, changed: before }
      marked[at + removed + n] = { ...now, changed: after }
    }
    at += Math.max(1, removed + added)
  }
  return marked
}

function countFrom(rows: readonly Row[], from: number, mark: Row['mark']): number {
  let n = 0
  while (rows[from + n]?.mark === mark) n += 1
  return n
}

/** Between the words that both lines begin and end with. */
function differing(old: string, now: string): { before: [number, number]; after: [number, number] } {
  const [one, other] = [wordsOf(old), wordsOf(now)]
  let start = 0
  while (start < Math.min(one.length, other.length) && one[start] === other[start]) start += 1
  let end = 0
  while (end < Math.min(one.length, other.length) - start && one.at(-1 - end) === other.at(-1 - end)) end += 1
  const span = (words: string[]): [number, number] => [
    words.slice(0, start).join('').length,
    words.slice(0, words.length - end).join('').length,
  ]
  return { before: span(one), after: span(other) }
}

const wordsOf = (text: string): string[] => text.match(/\w+|\s+|[^\w\s]/gu) ?? []
