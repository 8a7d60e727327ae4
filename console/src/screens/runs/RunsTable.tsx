// The table of runs: its heads sort as the API can, its rows are reached with j and k.
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { classes } from '../../look/classes.ts'
import { Icon } from '../../look/Icon.tsx'
import { SelectAll } from '../../parts/SelectAll.tsx'
import { RunRow } from './RunRow.tsx'
import style from './RunsTable.module.css'
import type { RunsSearch } from './search.ts'
import type { Selection } from '../../parts/useSelection.ts'
import type { ShownRun } from './useRunList.ts'

interface RunsTableProps {
  rows: ShownRun[]
  search: RunsSearch
  zone: string
  selection: Selection
  /** A row above the runs that says that there are more by now. */
  offer: ReactNode
}

export function RunsTable({ rows, search, zone, selection, offer }: RunsTableProps) {
  const isByEnd = search.sort_by === 'completed_at'
  const ids = rows.map(({ run }) => run.id)
  return (
    <table className={style.table} aria-label="Runs">
      <thead>
        <tr>
          <th scope="col" className={style.check}>
            <SelectAll ids={ids} selection={selection} what="runs" />
          </th>
          <Head className={style.status}>Status</Head>
          <Head className={style.title} sort="run_number" search={search}>
            Run
          </Head>
          <Head className={style.now}>Now, or why</Head>
          <Head className={style.agent}>Agent</Head>
          <Head className={style.source}>Source</Head>
          <Head className={style.time} sort={isByEnd ? 'completed_at' : 'created_at'} search={search}>
            {isByEnd ? 'Ended' : 'Started'}
          </Head>
          <Head className={style.took}>Took</Head>
          <Head className={style.cost}>USD</Head>
        </tr>
      </thead>
      <tbody>
        {offer}
        {rows.map(({ run, details, hasLeft }) => (
          <RunRow
            key={run.id}
            run={run}
            details={details}
            hasLeft={hasLeft}
            isSelected={selection.ids.has(run.id)}
            zone={zone}
            time={isByEnd ? 'completed_at' : 'created_at'}
            onSelect={selection.toggle}
          />
        ))}
      </tbody>
    </table>
  )
}

type Sort = NonNullable<RunsSearch['sort_by']>

function Head({
  className,
  sort,
  search,
  children,
}: {
  className?: string | undefined
  sort?: Sort
  search?: RunsSearch
  children: string
}) {
  if (!sort || !search)
    return (
      <th scope="col" className={className}>
        {children}
      </th>
    )
  const isSorted = (search.sort_by ?? 'created_at') === sort
  const isUp = isSorted && search.sort_order === 'asc'
  const next = isSorted && !isUp ? 'asc' : undefined
  return (
    <th scope="col" className={className} aria-sort={isSorted ? (isUp ? 'ascending' : 'descending') : 'none'}>
      <Link
        from="/runs"
        to="/runs"
        className={classes(style.sort, isSorted && style.sorted)}
        title={next === 'asc' ? 'Smallest or oldest first' : 'Largest or newest first'}
        search={(before) => ({
          ...before,
          sort_by: sort === 'created_at' ? undefined : sort,
          sort_order: next,
          page: undefined,
        })}
      >
        {children}
        {isSorted && <Icon name={isUp ? 'up' : 'arrowDown'} size={12} />}
      </Link>
    </th>
  )
}
