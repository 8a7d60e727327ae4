// The path of a file in a workspace: under /workspace, in one spelling, and never outside of it.

export const workspaceRoot = '/workspace'

const bytesMax = 1024
const nameBytesMax = 255
const levelsMax = 64
/** Control characters, line and paragraph separators, halves of surrogate pairs. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u
/** A dot, slash, backslash or NUL in percent-encoding, however often: harmless here, not to whoever decodes it. */
const encoded = /%(?:25)*(?:2e|2f|5c|00)/i
/** `file:/…`, `https://…`, `C:/…` */
const scheme = /^[a-z][a-z0-9+.-]*:\//i

const problem = (says: string) => ({
  problem: `The path ${says}. Write it relative to ${workspaceRoot}, such as out/report.md, or whole with that in front.`,
})

/** The absolute path, or a sentence that says what is wrong. `/workspace` itself is the folder that all files are in. */
export function workspacePath(text: string): { path: string } | { problem: string } {
  if (Buffer.byteLength(text) > bytesMax) return problem(`is longer than ${bytesMax} bytes`)
  if (unprintable.test(text)) return problem('holds a control character or a line break')
  if (text.includes('\\')) return problem('holds a backslash')
  if (encoded.test(text)) return problem('holds a percent-encoded dot, slash, backslash or NUL')
  if (scheme.test(text)) return problem('is a URL')
  const below = relativeTo(workspaceRoot, text)
  if (below === undefined) return problem(`is outside of ${workspaceRoot}`)
  const names = below.split('/').filter((name) => name !== '' && name !== '.')
  if (names[0] === '~') return problem('begins in a home folder, and there is none')
  if (names.some(looksLikeDots)) return problem('has a part of dots alone, which may lead elsewhere')
  if (names.some((name) => Buffer.byteLength(name) > nameBytesMax)) {
    return problem(`has a part of more than ${nameBytesMax} bytes`)
  }
  if (names.length > levelsMax) return problem(`has more than ${levelsMax} levels`)
  return { path: [workspaceRoot, ...names].join('/') }
}

function relativeTo(root: string, text: string): string | undefined {
  if (!text.startsWith('/')) return text
  return text === root || text.startsWith(`${root}/`) ? text.slice(root.length + 1) : undefined
}

/** Also text that looks like dots, or that other programs turn into dots: wide dots, dots with spaces or hidden characters, wide slashes. */
function looksLikeDots(name: string): boolean {
  const plain = name.normalize('NFKC').replace(/[\s\p{Cf}]/gu, '')
  return /^\.+$/.test(plain) || /[/\\]/.test(plain)
}
