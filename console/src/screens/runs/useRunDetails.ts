// What stands beside the runs of the list: asked for after the rows are drawn, and again only for runs that have changed since.
import type { ListedRunDetails, Run } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { runDetailsQuery } from '../../queries/runs.ts'

/** A run as it was when its details were asked for. */
const versionOf = ({ id, updated_at }: Run): string => `${id} ${updated_at}`

interface Known {
  version: string
  details: ListedRunDetails
}

/** By the id of the run. While new ones are on their way, those of before stay. */
export function useRunDetails(runs: Run[]): (id: string) => ListedRunDetails | undefined {
  const [known, setKnown] = useState<ReadonlyMap<string, Known>>(new Map())
  const due = runs.filter((run) => known.get(run.id)?.version !== versionOf(run))
  const { data } = useQuery(runDetailsQuery(due.map(({ id }) => id).toSorted(), due.map(versionOf).toSorted()))
  const found = new Map(data?.map((details) => [details.run_id, details]))
  const fresh = due.flatMap((run): [string, Known][] => {
    const details = found.get(run.id)
    return details ? [[run.id, { version: versionOf(run), details }]] : []
  })
  // only those of the page: a list that is open for days does not grow
  if (fresh.length > 0) {
    const shown = new Set(runs.map(({ id }) => id))
    setKnown(new Map([...[...known].filter(([id]) => shown.has(id)), ...fresh]))
  }
  return (id) => known.get(id)?.details
}
