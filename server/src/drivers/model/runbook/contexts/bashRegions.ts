// Regions of a bash script that are skipped as a whole: where each ends, or -1 where that is not certain.

/** After `'`. */
export function endOfSingleQuotes(text: string, from: number): number {
  const end = text.indexOf("'", from)
  return end === -1 ? text.length : end + 1
}

/** After `$'` or a backtick: a backslash takes the next character with it. */
export function endOfEscaped(text: string, from: number, closing: string): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === closing) return at + 1
  }
  return text.length
}

/** After `${`. Quotes inside mean different things in different expansions, so with any of them the end is not certain. */
export function endOfParameter(text: string, from: number): number {
  if (/[\s|]/.test(text[from] ?? '')) return -1
  for (let at = from; at < text.length; at += 1) {
    const sign = text[at]!
    if (sign === '}') return at + 1
    if ('\'"`\\{(\n'.includes(sign)) return -1
    if (sign === '$' && '{(\'"[`'.includes(text[at + 1] ?? '')) return -1
  }
  return -1
}

/** After `((`. What begins so can also be two subshells; then it does not end in `))`. */
export function endOfArithmetic(text: string, from: number): number {
  let depth = 0
  for (let at = from; at < text.length; at += 1) {
    const sign = text[at]!
    if (sign === '$' && text[at + 1] === '{') {
      const end = endOfParameter(text, at + 2)
      if (end === -1) return -1
      at = end - 1
    } else if ('\'"`\\{#\n'.includes(sign) || (sign === '$' && '(['.includes(text[at + 1] ?? ''))) return -1
    else if (sign === '(') depth += 1
    else if (sign === ')' && depth > 0) depth -= 1
    else if (sign === ')') return text[at + 1] === ')' ? at + 2 : -1
  }
  return -1
}

/** After `$[`. */
export function endOfOldArithmetic(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === ']') return at + 1
    if ('\'"`\\{([#\n'.includes(text[at]!)) return -1
  }
  return -1
}

export interface Heredoc {
  delimiter: string
  isQuoted: boolean
  stripsTabs: boolean
}

const delimiterPattern = /(-?)[ \t]*(?:(['"])([\w.-]+)\2|(\\?)([\w.]+))(?=[\s;|&<>)]|$)/y
/** What may follow on the line: no region of it may reach the next line, where the text of the heredoc begins. */
const quietLine = /^(?:[^'"`()\\]|"[^"`()\\]*"|'[^']*')*$/

/** After `<<`. */
export function readHeredoc(text: string, from: number): { heredoc: Heredoc; end: number } | undefined {
  delimiterPattern.lastIndex = from
  const match = delimiterPattern.exec(text)
  if (!match) return undefined
  const end = delimiterPattern.lastIndex
  const feed = text.indexOf('\n', end)
  if (!quietLine.test(text.slice(end, feed === -1 ? text.length : feed))) return undefined
  const [, dash, quote, quoted, backslash, plain] = match
  const heredoc = { delimiter: quoted ?? plain!, isQuoted: Boolean(quote ?? backslash), stripsTabs: dash === '-' }
  return { heredoc, end }
}

/** From the line after the command to the line after the delimiter. */
export function endOfHeredoc(text: string, from: number, { delimiter, isQuoted, stripsTabs }: Heredoc): number {
  for (let at = from; at < text.length;) {
    const feed = text.indexOf('\n', at)
    const end = feed === -1 ? text.length : feed
    const line = text.slice(at, end)
    if ((stripsTabs ? line.replace(/^\t+/, '') : line) === delimiter) return Math.min(end + 1, text.length)
    // a backslash joins the next line to this one, which then is not a delimiter
    if (!isQuoted && line.endsWith('\\')) return -1
    at = end + 1
  }
  return text.length
}
