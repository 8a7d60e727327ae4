// Puts the steps of two runs beside each other: calls of the same tool stand in one line, what only one of them did stands alone.
import type { StepLine } from '../timeline/stepLine.ts'

export interface Pair {
  left: StepLine | undefined
  right: StepLine | undefined
}

/** How far ahead the same step is looked for. A run of ten thousand steps is aligned in some milliseconds. */
const lookAhead = 40

const isSame = (one: StepLine | undefined, other: StepLine | undefined): boolean =>
  one !== undefined && other !== undefined && one.kind === other.kind && one.tool === other.tool

export function align(left: StepLine[], right: StepLine[]): Pair[] {
  const pairs: Pair[] = []
  let [i, j] = [0, 0]
  while (i < left.length || j < right.length) {
    if (isSame(left[i], right[j])) {
      pairs.push({ left: left[i], right: right[j] })
      i += 1
      j += 1
      continue
    }
    const { skipLeft, skipRight } = nearest(left, i, right, j)
    for (let skipped = 0; skipped < skipLeft; skipped += 1) pairs.push({ left: left[i + skipped], right: undefined })
    for (let skipped = 0; skipped < skipRight; skipped += 1) pairs.push({ left: undefined, right: right[j + skipped] })
    i += skipLeft
    j += skipRight
  }
  return pairs
}

/** How many of each must be skipped to come to two that are the same: as few as possible together. */
function nearest(left: StepLine[], i: number, right: StepLine[], j: number) {
  for (let skipped = 1; skipped <= lookAhead; skipped += 1) {
    for (let skipRight = 0; skipRight <= skipped; skipRight += 1) {
      const skipLeft = skipped - skipRight
      if (isSame(left[i + skipLeft], right[j + skipRight])) return { skipLeft, skipRight }
    }
  }
  // nothing in common for a while: one step of each
  return { skipLeft: i < left.length ? 1 : 0, skipRight: j < right.length ? 1 : 0 }
}

/** What differs between the two steps of a pair, in words. Times differ where one is half as long again and a tenth of a second longer. */
export function differences({ left, right }: Pair): string[] {
  if (!left) return ['only on the right']
  if (!right) return ['only on the left']
  const found: string[] = []
  if (left.state !== right.state) found.push('state')
  if (left.attempts !== right.attempts) found.push('attempts')
  if (left.to !== undefined && right.to !== undefined && left.kind !== 'human' && left.kind !== 'wait') {
    const [short = 0, long = 0] = [left.to - left.from, right.to - right.from].sort((one, other) => one - other)
    if (long > short * 1.5 && long - short > 100) found.push('time')
  }
  if (left.detail !== right.detail || (left.kind !== 'model' && left.name !== right.name)) found.push('what it did')
  return found
}
