// The path of a file that a team keeps: relative, in one spelling, and harmless to whoever lays it out on a disk or in an archive.

const bytesMax = 512
const nameBytesMax = 255
const levelsMax = 16
/** Control and format characters, line and paragraph separators, halves of surrogate pairs. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u
/** A dot, slash, backslash or NUL in percent-encoding, however often: harmless here, not to whoever decodes it. */
const encoded = /%(?:25)*(?:2e|2f|5c|00)/i
/** Characters that other systems do not allow in names, or read as something else. */
const foreign = /[\\:*?"<>|]/

const problem = (says: string) => ({ problem: `The path ${says}. Write it such as reference/prices.csv.` })

/** The path to use, or a sentence that says which rule it breaks. Letters with accents are one name in both spellings. */
export function plainPath(text: string): { path: string } | { problem: string } {
  const path = text.normalize('NFC')
  const names = path.split('/')
  if (path === '') return problem('is empty')
  if (Buffer.byteLength(path) > bytesMax) return problem(`is longer than ${bytesMax} bytes`)
  if (unseen.test(path)) return problem('holds a character that cannot be seen')
  if (foreign.test(path)) return problem('holds one of the characters \\ : * ? " < > |')
  if (encoded.test(path)) return problem('holds a percent-encoded dot, slash, backslash or NUL')
  if (path.startsWith('/')) return problem('is absolute')
  if (names.includes('')) return problem('has a part without a name')
  if (names.some(leadsElsewhere)) return problem('has a part of dots, or one that ends in a dot or a space')
  if (names.some((name) => Buffer.byteLength(name) > nameBytesMax)) {
    return problem(`has a part of more than ${nameBytesMax} bytes`)
  }
  if (names.length > levelsMax) return problem(`has more than ${levelsMax} levels`)
  return { path }
}

/** Also what other programs turn into dots or drop: wide dots, and dots and spaces at the ends. */
function leadsElsewhere(name: string): boolean {
  const plain = name.normalize('NFKC')
  return (
    /^[.\s]+$/.test(plain) ||
    plain.includes('/') ||
    plain.includes('\\') ||
    plain !== plain.trim() ||
    plain.endsWith('.')
  )
}

/** `a` and `a/b` for `a/b/c`: what must not be a file. */
export function foldersOf(path: string): string[] {
  const names = path.split('/')
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join('/'))
}
