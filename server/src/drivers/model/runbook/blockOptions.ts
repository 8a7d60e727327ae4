// Reads the words after a block's name: `id=fetch if="…" retry=3`.

interface Words {
  /** Words without `=`. */
  bare: string[]
  attributes: Map<string, string>
  problems: string[]
}

const spaces = /\s+/y
const name = /[A-Za-z_][\w-]*(?==)/y
const bareValue = /[^\s"]+/y
const quotedValue = /"((?:[^"\\]|\\.)*)"/y
const anything = /\S+/y

export function readWords(text: string): Words {
  const words: Words = { bare: [], attributes: new Map(), problems: [] }
  let at = 0
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (match) at = pattern.lastIndex
    return match
  }
  for (;;) {
    take(spaces)
    if (at >= text.length) return words
    const key = take(name)?.[0]
    if (key === undefined) {
      words.bare.push(take(anything)![0])
      continue
    }
    at += 1
    const value = take(quotedValue)?.[1]?.replaceAll(/\\(["\\])/g, '$1') ?? take(bareValue)?.[0]
    if (value === undefined) {
      words.problems.push(
        text[at] === '"'
          ? `The quotes after ${key}= are never closed. End the value with ".`
          : `${key}= has no value. Write ${key}=value or ${key}="some value".`,
      )
      if (text[at] === '"') return words
      continue
    }
    if (at < text.length && !/\s/.test(text[at]!)) {
      words.problems.push(
        `Put a space after ${key}=${JSON.stringify(value)}; a value with quotes in it is written in "…", with \\" for ".`,
      )
      take(anything)
    } else if (words.attributes.has(key)) words.problems.push(`${key}= stands twice. Keep one.`)
    else words.attributes.set(key, value)
  }
}
