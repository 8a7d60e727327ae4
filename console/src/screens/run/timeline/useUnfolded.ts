// The steps whose sub-runs are unfolded, with the steps of those runs.
import { useQueries } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { useRunAddress } from '../address.ts'
import { readSteps } from './readSteps.ts'
import type { Unfolded } from './rows.ts'
import type { StepLine } from './stepLine.ts'

/** So many sub-runs can be open at once, each with its first page of steps; its own page has all of them. */
const openMax = 20

function toggled(key: string, seq: string): string | undefined {
  const numbers = key === '' ? [] : key.split(',')
  const next = numbers.includes(seq) ? numbers.filter((one) => one !== seq) : [...numbers, seq].slice(-openMax)
  return next.length === 0 ? undefined : next.join(',')
}

export function useUnfolded(steps: StepLine[]) {
  const { search, choose } = useRunAddress()
  const key = search.open ?? ''
  const wanted = useMemo(() => {
    const numbers = key.split(',').map(Number)
    return [...new Set(numbers)]
      .map((seq) => steps[seq - 1])
      .filter((step) => step?.subRunId !== undefined)
      .slice(0, openMax)
  }, [key, steps])
  const open = useQueries({
    queries: wanted.map((step) => ({
      queryKey: ['run', step?.subRunId, 'steps'],
      queryFn: ({ signal }: { signal: AbortSignal }) => readSteps(step?.subRunId ?? '', 0, signal),
    })),
    combine: (results) =>
      results.flatMap(({ data }, at): Unfolded[] => {
        const seq = wanted[at]?.seq
        return data && seq !== undefined ? [{ seq, steps: data.steps }] : []
      }),
  })
  const toggle = useCallback((seq: number) => choose({ open: toggled(key, String(seq)) }), [choose, key])
  return { open, has: (seq: number) => key.split(',').includes(String(seq)), toggle }
}
