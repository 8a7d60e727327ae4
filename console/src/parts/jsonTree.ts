// What of a JSON value is shown at first, and what stands on one line: bounded, however large the value is.
import { quoted } from './visibleText.ts'

/** So many entries of an object or a list are shown at once. */
export const entriesShown = 100
/** Deeper than this nothing is open at first. */
const depthOpen = 8
const lineMax = 64
const lineEntriesMax = 16

export type Branch = Record<string, unknown> | unknown[]

export const isBranch = (value: unknown): value is Branch => typeof value === 'object' && value !== null

export const sizeOf = (value: Branch): number => (Array.isArray(value) ? value.length : Object.keys(value).length)

/** The first entries; of a list without names. */
export function entriesOf(value: Branch, max: number): { name: string | undefined; item: unknown }[] {
  if (Array.isArray(value)) return value.slice(0, max).map((item) => ({ name: undefined, item }))
  return Object.entries(value)
    .slice(0, max)
    .map(([name, item]) => ({ name, item }))
}

/** Opens from the outside to the inside until `rows` are full. The whole is always open. */
export function openAtFirst(value: unknown, rows: number): Set<Branch> {
  const open = new Set<Branch>()
  if (!isBranch(value)) return open
  let left = rows
  let level: Branch[] = [value]
  for (let depth = 0; depth < depthOpen && level.length > 0; depth += 1) {
    const next: Branch[] = []
    for (const branch of level) {
      const cost = Math.min(sizeOf(branch), entriesShown) + 1
      if (depth > 0 && cost > left) continue
      left -= cost
      open.add(branch)
      for (const { item } of entriesOf(branch, entriesShown))
        if (isBranch(item) && lineOf(item) === undefined) next.push(item)
    }
    level = next
  }
  return open
}

export interface Piece {
  text: string
  kind: 'key' | 'text' | 'plain'
}

/** A text, a number, true, false or null. */
export function scalarPiece(value: unknown): Piece {
  if (typeof value === 'string') return { text: quoted(value), kind: 'text' }
  return { text: JSON.stringify(value) ?? typeof value, kind: 'plain' }
}

/** A small branch on one line; undefined: it is too large for that. */
export function lineOf(value: Branch): Piece[] | undefined {
  const pieces = linePieces(value, 0)
  return pieces && lengthOf(pieces) <= lineMax ? pieces : undefined
}

const lengthOf = (pieces: Piece[]): number => pieces.reduce((sum, { text }) => sum + text.length, 0)

/** So deep branches inside of others may stand on a line. */
const lineDepth = 2

function linePieces(value: Branch, depth: number): Piece[] | undefined {
  const isList = Array.isArray(value)
  if (sizeOf(value) > lineEntriesMax || (depth > lineDepth && sizeOf(value) > 0)) return undefined
  const pieces: Piece[] = [{ text: isList ? '[' : '{', kind: 'plain' }]
  for (const [at, { name, item }] of entriesOf(value, lineEntriesMax).entries()) {
    const entry = entryPieces(name, item, depth)
    if (!entry) return undefined
    if (at > 0) pieces.push({ text: ', ', kind: 'plain' })
    pieces.push(...entry)
    if (lengthOf(pieces) > lineMax) return undefined
  }
  return [...pieces, { text: isList ? ']' : '}', kind: 'plain' }]
}

function entryPieces(name: string | undefined, item: unknown, depth: number): Piece[] | undefined {
  if (typeof item === 'string' && item.length > lineMax) return undefined
  if (name !== undefined && name.length > lineMax) return undefined
  const value = isBranch(item) ? linePieces(item, depth + 1) : [scalarPiece(item)]
  if (!value || name === undefined) return value
  return [{ text: quoted(name), kind: 'key' }, { text: ': ', kind: 'plain' }, ...value]
}

/** What a folded branch shows of itself: its first entries, as far as a line goes. */
export function previewOf(value: Branch): Piece[] {
  const pieces: Piece[] = []
  for (const { name, item } of entriesOf(value, lineEntriesMax)) {
    const entry = entryPieces(name, item, lineDepth)
    if (!entry || lengthOf(pieces) + lengthOf(entry) > lineMax) break
    pieces.push(...entry, { text: ', ', kind: 'plain' })
  }
  return [...pieces, { text: '… ', kind: 'plain' }]
}
