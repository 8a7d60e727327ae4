// Random choices that can be repeated: the same seed gives the same attack.
export interface Random {
  /** A whole number from 0 up to and without `below`. */
  number: (below: number) => number
  pick: <T>(from: readonly T[]) => T
  /** Lower-case letters. */
  word: (length: number) => string
}

/** Mulberry32: 32 bits of state are plenty for choosing attacks. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const number = (below: number) => Math.floor(next() * below)
  return {
    number,
    pick: (from) => from[number(from.length)]!,
    word: (length) => Array.from({ length }, () => String.fromCharCode(97 + number(26))).join(''),
  }
}
