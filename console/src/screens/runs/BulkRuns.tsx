// Asks before many runs are stopped or started again: how many, and which.
import type { Run } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useSession } from '../../app/session.tsx'
import { startWork } from '../../app/work.ts'
import { count, counted } from '../../parts/amounts.ts'
import { Button } from '../../parts/Button.tsx'
import { Dialog } from '../../parts/Dialog.tsx'
import { Failed, Skeleton } from '../../parts/states.tsx'
import { runListQuery } from '../../queries/runs.ts'
import { momentAfter } from '../../parts/moments.ts'
import { earlier, type ApiFilter } from './apiFilter.ts'
import style from './BulkRuns.module.css'
import { narrowedTo, overFilter, type BulkAction } from './bulk.ts'
import { filterNames, type FilterName, type RunsSearch } from './search.ts'
import { useFilterWords } from './useFilterWords.ts'

const kinds = { stop: 'stopRuns', retry: 'retryRuns' } as const
const verbs = { stop: 'Stop', retry: 'Retry' }
const saysWhat = {
  stop: 'Each ends where it is, with the runs that it started. It cannot continue; it can be started again.',
  retry:
    'Each is started again from its beginning, as a new run of the same build. What it does outside is done again.',
}
const shownMax = 5

interface BulkRunsProps {
  action: BulkAction
  over: Selected | Fitting
  onClose: () => void
  onBegun: () => void
}

/** Those that somebody selected; only those of the page that is shown are known. */
interface Selected {
  ids: string[]
  known: Run[]
}

/** Everything that fits. */
interface Fitting {
  filter: ApiFilter
  search: RunsSearch
  zone: string
}

export default function BulkRuns({ over, ...rest }: BulkRunsProps) {
  return 'ids' in over ? <SelectedRuns {...rest} {...over} /> : <FittingRuns {...rest} {...over} />
}

type Rest = Omit<BulkRunsProps, 'over'>

function SelectedRuns({ action, ids, known, onClose, onBegun }: Rest & Selected) {
  const { profile } = useSession()
  return (
    <Ask
      action={action}
      total={ids.length}
      runs={known}
      onClose={onClose}
      onConfirm={() => {
        startWork(kinds[action], profile.id, { items: ids })
        onBegun()
      }}
    >
      <p>
        {action === 'stop'
          ? 'Those that have ended by then stay as they are.'
          : 'Those that have not ended by then are left out and named.'}
      </p>
    </Ask>
  )
}

/** Runs that are made from now on are not touched. */
function FittingRuns({ action, filter, search, zone, onClose, onBegun }: Rest & Fitting) {
  const { profile } = useSession()
  const narrowed = narrowedTo(action, filter) ?? filter
  const list = useQuery({ ...runListQuery({ ...narrowed, limit: shownMax }), gcTime: 0, staleTime: 0 })
  const newest = list.data?.data[0]
  const named = filterNames.filter((name) => search[name] !== undefined && name !== 'status')
  return (
    <Ask
      action={action}
      total={list.data?.total}
      runs={list.data?.data ?? []}
      error={list.error}
      onRetry={() => void list.refetch()}
      onClose={onClose}
      onConfirm={() => {
        const until = earlier(narrowed.until, newest && momentAfter(newest.created_at))
        startWork(kinds[action], profile.id, {
          input: { filter: { ...narrowed, ...(until !== undefined && { until }) } },
          total: list.data?.total ?? 0,
          over: overFilter(narrowed),
        })
        onBegun()
      }}
    >
      <ul className={style.filter}>
        <FilterLine name="status" search={{ status: narrowed.status }} zone={zone} />
        {named.map((name) => (
          <FilterLine key={name} name={name} search={search} zone={zone} />
        ))}
      </ul>
    </Ask>
  )
}

function FilterLine({ name, search, zone }: { name: FilterName; search: RunsSearch; zone: string }) {
  const { label, value } = useFilterWords(name, search, zone)
  return (
    <li>
      {label} <b>{value}</b>
    </li>
  )
}

interface AskProps {
  action: BulkAction
  /** Undefined while it is counted. */
  total: number | undefined
  /** The first ones. */
  runs: Run[]
  error?: unknown
  onRetry?: () => void
  onClose: () => void
  onConfirm: () => void
  children: ReactNode
}

function Ask({ action, total, runs, error, onRetry, onClose, onConfirm, children }: AskProps) {
  const verb = verbs[action]
  const named = runs.slice(0, shownMax)
  const rest = (total ?? 0) - named.length
  const many = total === undefined ? 'runs' : counted(total, 'run')
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`${verb} ${many}?`}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind={action === 'stop' ? 'no' : 'go'}
            isBusy={total === undefined && !error}
            unable={total === 0 || error ? 'There is nothing to do.' : undefined}
            onClick={onConfirm}
          >
            {verb} {many}
          </Button>
        </>
      }
    >
      {children}
      {error ? (
        <Failed error={error} onRetry={onRetry} />
      ) : (
        total === undefined && <Skeleton rows={shownMax} what="runs" />
      )}
      {named.length > 0 && (
        <ul className={style.runs}>
          {named.map(({ id, run_number, title, agent_name }) => (
            <li key={id}>
              <span className="dim">{run_number}</span> <bdi>{title}</bdi> <span className="dim">{agent_name}</span>
            </li>
          ))}
          {rest > 0 && <li className="dim">and {count(rest)} more</li>}
        </ul>
      )}
      <p>{saysWhat[action]}</p>
    </Dialog>
  )
}
