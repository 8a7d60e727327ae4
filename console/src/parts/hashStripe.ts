// The hash of an action in two forms that a person can compare: bars of different heights, and groups of four digits.

const barsMax = 22
const barWidth = 3
const height = 14

export interface Bar {
  x: number
  y: number
  height: number
}

/** Longer ones are no hashes. */
const digitsMax = 128

/** The hash of the service is `sha256:…` or bare digits; only the digits count. */
export const hexOf = (hash: string): string =>
  (/^(?:[a-z0-9]+:)?([0-9a-f]+)$/i.exec(hash.slice(0, digitsMax))?.[1] ?? '').toLowerCase()

/** One bar for each digit of the first ones; the same hash always looks the same. */
export function barsOf(hash: string): Bar[] {
  return Array.from(hexOf(hash).slice(0, barsMax), (digit, at) => {
    const tall = 1.5 + (Number.parseInt(digit, 16) / 15) * (height - 1.5)
    return { x: at * barWidth, y: height - tall, height: tall }
  })
}

/** `9f3a c07b e41d …` */
export const groupsOf = (hash: string): string =>
  hexOf(hash)
    .match(/.{1,4}/g)
    ?.join(' ') ?? hash
