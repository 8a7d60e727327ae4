// Cuts known secrets out of text that comes in pieces. What could still become a secret is held back until the next pieces decide.
import { cutMark, lengthMin, type Scrub } from './knownSecrets.ts'

interface LiveScrub {
  /** The next piece, of any length. */
  hear: (piece: string) => void
  /** Nothing more comes: what was held back is no secret any more, and is passed on. */
  end: () => void
}

/** `say` gets the text without the secrets, in its order. */
export function liveScrub(scrub: Scrub | undefined, say: (text: string) => void): LiveScrub {
  const known = scrub && indexOf(scrub)
  if (!known) return { hear: say, end: () => undefined }
  let held = ''
  const go = (isEnd: boolean): void => {
    const { clean, from } = cut(held, known, isEnd)
    held = held.slice(from)
    if (clean !== '') say(clean)
  }
  return {
    hear(piece) {
      held += piece
      go(false)
    },
    end: () => go(true),
  }
}

/** Finds what begins at a place of a text without looking at every secret. */
interface Index {
  /** The spellings by their first letters, the longest first. */
  byHead: Map<string, string[]>
  /** The beginnings that are shorter than that. */
  beginnings: Set<string>
}

const indexes = new WeakMap<Scrub, Index>()

/** Undefined: there is nothing to cut. */
function indexOf(scrub: Scrub): Index | undefined {
  if (scrub.spellings.length === 0) return undefined
  const made = indexes.get(scrub)
  if (made) return made
  const index: Index = { byHead: new Map(), beginnings: new Set() }
  for (const spelling of scrub.spellings) {
    const head = spelling.slice(0, lengthMin)
    const those = index.byHead.get(head)
    if (those) those.push(spelling)
    else index.byHead.set(head, [spelling])
    for (let length = 1; length < lengthMin; length++) index.beginnings.add(head.slice(0, length))
  }
  indexes.set(scrub, index)
  return index
}

/** The clean text, and from where on the rest must wait. */
function cut(text: string, known: Index, isEnd: boolean): { clean: string; from: number } {
  let clean = ''
  let from = 0
  for (let at = 0; at < text.length;) {
    const end = spanAt(text, at, known, isEnd)
    if (end === undefined) {
      at++
      continue
    }
    clean += text.slice(from, at)
    if (end === 'open') return { clean, from: at }
    clean += cutMark
    from = at = end
  }
  return { clean: clean + text.slice(from), from: text.length }
}

/** Where the secrets that begin here end, with those that overlap them. `open`: the next piece decides. Undefined: none begins here. */
function spanAt(text: string, at: number, known: Index, isEnd: boolean): number | 'open' | undefined {
  let end = secretAt(text, at, known, isEnd)
  if (end === undefined || end === 'open') return end
  for (let next = at + 1; next < end; next++) {
    const other = secretAt(text, next, known, isEnd)
    if (other === 'open') return 'open'
    if (other !== undefined) end = Math.max(end, other)
  }
  return end
}

function secretAt(text: string, at: number, known: Index, isEnd: boolean): number | 'open' | undefined {
  const left = text.length - at
  if (left < lengthMin) return !isEnd && known.beginnings.has(text.slice(at)) ? 'open' : undefined
  for (const spelling of known.byHead.get(text.slice(at, at + lengthMin)) ?? []) {
    if (spelling.length > left) {
      if (!isEnd && spelling.startsWith(text.slice(at))) return 'open'
    } else if (text.startsWith(spelling, at)) return at + spelling.length
  }
  return undefined
}
