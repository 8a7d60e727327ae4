// JSON text as somebody wrote it, laid out in lines without being read: every number, escape and repeated key stays as it is.
import type { Piece } from './jsonTree.ts'
import { visible } from './visibleText.ts'

const token = /\s*("(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+)/gy

/** Lines of pieces; undefined: the text is not JSON, so it is shown as it is. */
export function jsonLines(text: string): { depth: number; pieces: Piece[] }[] | undefined {
  const trimmed = text.trim()
  if (!/^[{[]/.test(trimmed) || !isJson(trimmed)) return undefined
  const lexemes = [...trimmed.matchAll(token)].map(([, lexeme = '']) => lexeme)
  const lines: { depth: number; pieces: Piece[] }[] = []
  let line: Piece[] = []
  let depth = 0
  let lineDepth = 0
  const end = () => {
    if (line.length > 0) lines.push({ depth: lineDepth, pieces: line })
    line = []
  }
  const add = (piece: Piece) => {
    if (line.length === 0) lineDepth = depth
    line.push(piece)
  }
  for (const [at, lexeme] of lexemes.entries()) {
    const next = lexemes[at + 1]
    if (lexeme === '{' || lexeme === '[') {
      add({ text: lexeme, kind: 'plain' })
      depth += 1
      if (next !== '}' && next !== ']') end()
    } else if (lexeme === '}' || lexeme === ']') {
      const isEmpty = lexemes[at - 1] === '{' || lexemes[at - 1] === '['
      if (!isEmpty) end()
      depth -= 1
      add({ text: lexeme, kind: 'plain' })
    } else if (lexeme === ',') {
      add({ text: ',', kind: 'plain' })
      end()
    } else if (lexeme === ':') {
      add({ text: ': ', kind: 'plain' })
    } else {
      const isText = lexeme.startsWith('"')
      add({ text: visible(lexeme), kind: isText ? (next === ':' ? 'key' : 'text') : 'plain' })
    }
  }
  end()
  return lines
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
