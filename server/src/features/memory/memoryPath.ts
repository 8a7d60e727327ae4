// The path of a memory file: relative and clean, in the one spelling under which it is stored.

const bytesMax = 512
const levelsMax = 16
/** Control characters, line and paragraph separators, halves of surrogate pairs. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u

const problem = (says: string) => ({ problem: `The path of a memory file ${says}.` })

/** The path to use, or a sentence that says which rule it breaks. Letters with accents are one name in both spellings. */
export function memoryPath(text: string): { path: string } | { problem: string } {
  const path = text.normalize('NFC')
  const segments = path.split('/')
  if (path === '') return problem('may not be empty: write something like notes/today.md')
  if (Buffer.byteLength(path) > bytesMax) return problem(`has at most ${bytesMax} bytes in UTF-8`)
  if (unprintable.test(path)) return problem('may hold no control characters and no line breaks')
  if (path.includes('\\')) return problem('may hold no backslash: separate folders by /')
  if (path.startsWith('/')) return problem('is relative: write it without the slash at its start')
  if (segments.includes(''))
    return problem('may have no empty segment: write it without // and without a slash at its end')
  if (segments.some((segment) => segment === '.' || segment === '..')) {
    return problem('may have no segment . or ..: write out where the file is')
  }
  if (segments.length > levelsMax) return problem(`has at most ${levelsMax} levels`)
  return { path }
}
