// What a retry makes again, in a few words: how often which tool, those that act outside first.
import type { StepRetry } from '@runyard/sdk'

/** Names that are told one by one. */
const namesMax = 6

export function describeRepeats({
  repeats,
  repeats_total: total,
}: Pick<StepRetry, 'repeats' | 'repeats_total'>): string[] {
  const counts = new Map<string, number>()
  for (const { kind, tool } of repeats) {
    const name = kind === 'model' ? 'turns of the model' : (tool ?? kind)
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  const sorted = [...counts].sort(([, one], [, other]) => other - one)
  const lines = sorted.slice(0, namesMax).map(([name, many]) => `${name} × ${many}`)
  const rest = sorted.slice(namesMax).reduce((sum, [, many]) => sum + many, 0) + total - repeats.length
  return rest > 0 ? [...lines, `${rest} more`] : lines
}
