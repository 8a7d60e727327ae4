// Words of a procedure that were most likely meant to be others: where they stand in their line, and what to write instead.
import type { Misspelling } from '../../../base/expression/holes.ts'
import { nearestWord } from '../../../base/nearestWord.ts'

export interface WordFix {
  /** From 1. */
  column: number
  /** Not included. */
  endColumn: number
  text: string
}

/** `after`: the texts of which one stands right before the word; `end`: what follows it and stays. */
export function misspelt(
  word: string,
  known: Iterable<string>,
  { after = [''], end = '' }: { after?: readonly string[]; end?: string } = {},
): Misspelling | undefined {
  const meant = nearestWord(word, known)
  return meant === undefined ? undefined : { after, word: word + end, meant: meant + end }
}

type Fixer = (line: number, misspelling: Misspelling | undefined) => { fix?: WordFix }

export function createFixer(markdown: string): Fixer {
  let lines: string[] | undefined
  return (line, misspelling) => {
    if (!misspelling) return {}
    lines ??= markdown.split(/\r\n|\n|\r/)
    const fix = locate(lines[line - 1] ?? '', misspelling)
    return fix ? { fix } : {}
  }
}

/** Undefined: the line has it in another spelling, such as with escapes. */
function locate(line: string, { after, word, meant }: Misspelling): WordFix | undefined {
  for (const before of after) {
    for (let at = line.indexOf(before + word); at !== -1; at = line.indexOf(before + word, at + 1)) {
      const from = at + before.length
      const end = from + word.length
      const isWhole = !isLetter(word.at(-1)) || !isLetter(line[end])
      if (isWhole && (before !== '' || !isLetter(line[from - 1])))
        return { column: from + 1, endColumn: end + 1, text: meant }
    }
  }
  return undefined
}

const isLetter = (sign: string | undefined): boolean => sign !== undefined && /[\p{L}\p{N}_-]/u.test(sign)
