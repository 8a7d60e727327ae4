// How long something takes, as the table tells it: p50 and p99 against a commit that was paced the same way.
import type { Row } from './table.ts'

export function latencyRows(
  what: string,
  ours: number[],
  commits: number[],
  most: { p50: number; p99: number },
): Row[] {
  return (['p50', 'p99'] as const).map((name) => {
    const p = name === 'p50' ? 0.5 : 0.99
    const ratio = at(ours, p) / at(commits, p)
    return {
      what: `${what}, ${name} in ms`,
      ours: at(ours, p).toFixed(2),
      floor: `${at(commits, p).toFixed(2)} (a paced commit)`,
      ratio: `${ratio.toFixed(1)}×`,
      target: `≤ ${most[name]}×`,
      met: ratio <= most[name],
    }
  })
}

/** Of these values, the one below which such a share lies. */
export const at = (values: number[], p: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * p))]!
