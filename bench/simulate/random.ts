// Random numbers that are the same in every run of a simulation: a seed says which.

export type Random = () => number

/** Numbers from 0 up to 1 (mulberry32, which has 32 bits of state: enough for some millions of draws). */
export function seeded(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** How long until the next of things that happen independently of each other. */
export const exponential = (random: Random, mean: number): number => -Math.log(1 - random()) * mean

/** Sizes with a long tail, the smallest of which is 1. */
export const pareto = (random: Random, alpha: number): number => (1 - random()) ** (-1 / alpha)
