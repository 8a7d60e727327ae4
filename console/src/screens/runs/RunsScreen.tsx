// The list of runs.
import type { Run } from '@runyard/sdk'
import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense, useRef, useState } from 'react'
import { Bar } from '../../app/Bar.tsx'
import { useCommands } from '../../app/commands.ts'
import { useSession } from '../../app/session.tsx'
import { useSetting, zoneOf } from '../../app/settings.ts'
import { openStartRun } from '../../app/startingRun.ts'
import { startWork } from '../../app/work.ts'
import { classes } from '../../look/classes.ts'
import { Icon } from '../../look/Icon.tsx'
import { Button } from '../../parts/Button.tsx'
import { CopyAs } from '../../parts/CopyAs.tsx'
import { FootBar } from '../../parts/FootBar.tsx'
import { counted } from '../../parts/amounts.ts'
import { Failed, Skeleton } from '../../parts/states.tsx'
import { AllMenu } from './AllMenu.tsx'
import { apiOrder } from './apiFilter.ts'
import { narrowedTo, overFilter, type BulkAction } from './bulk.ts'
import { CountsStrip } from './CountsStrip.tsx'
import { FilterBar } from './FilterBar.tsx'
import { NoRuns } from './NoRuns.tsx'
import { OrderMenu } from './OrderMenu.tsx'
import style from './RunsScreen.module.css'
import { RunsTable } from './RunsTable.tsx'
import { filterNames, viewFilterOf, type RunsSearch } from './search.ts'
import { SelectionBar } from './SelectionBar.tsx'
import { useListKeys } from './useListKeys.ts'
import { useRunList, type RunList } from './useRunList.ts'
import { useSelection } from '../../parts/useSelection.ts'
import { ViewTabs } from './ViewTabs.tsx'

const BulkRuns = lazy(() => import('./BulkRuns.tsx'))
const StopRun = lazy(() => import('./StopRun.tsx'))

const route = getRouteApi('/frame/runs')

const shownKeys = [
  { keys: ['j', 'k'], says: 'move' },
  { keys: ['Enter'], says: 'open' },
  { keys: ['x'], says: 'select' },
  { keys: ['s'], says: 'stop' },
  { keys: ['?'], says: 'all keys' },
]

export function RunsScreen() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const zone = zoneOf(useSetting('zone'))
  const { unable, profile } = useSession()
  const { page: asked = 1, size = 25 } = search
  const page = Math.max(1, asked)
  const list = useRunList(search, zone, page, size)
  const rows = list.rows ?? []
  const selection = useSelection(
    JSON.stringify(viewFilterOf(search)),
    rows.map(({ run }) => run.id),
  )
  const table = useRef<HTMLDivElement>(null)
  const [stopping, setStopping] = useState<Run>()
  const [bulk, setBulk] = useState<{ action: BulkAction; isSelection: boolean }>()
  const onSelected = (action: BulkAction) => setBulk({ action, isSelection: true })
  const onFitting = (action: BulkAction) => setBulk({ action, isSelection: false })
  useListKeys({ table, rows, selection, onStop: setStopping, onStopSelected: () => onSelected('stop') })
  const exportFitting = () =>
    void startWork('exportRuns', profile.id, { input: { filter: list.asked }, over: overFilter(list.asked) })
  const exportSelected = () => void startWork('exportRuns', profile.id, { input: { ids: [...selection.ids] } })
  const cannot = unable('runs:write')
  useCommands([
    { id: 'export-runs', label: 'Export these runs as CSV', icon: 'download', run: exportFitting },
    ...(['stop', 'retry'] as const).map((action) => ({
      id: `${action}-runs`,
      label: action === 'stop' ? 'Stop all runs that fit' : 'Retry all runs that fit',
      icon: action,
      unable: cannot ?? (narrowedTo(action, list.asked) ? undefined : 'None of them'),
      run: () => onFitting(action),
    })),
  ])

  const change = (changes: Partial<RunsSearch>) =>
    void navigate({ search: (before) => ({ ...before, ...changes, page: undefined }), replace: 'search' in changes })

  function show() {
    list.show()
    if (page > 1) void navigate({ search: (before) => ({ ...before, page: undefined }) })
    table.current?.scrollTo({ top: 0 })
  }

  return (
    <>
      <Bar title="Runs" tabs={<ViewTabs search={search} />}>
        <span className={style.wide}>
          <CopyAs operation="listRuns" input={{ ...list.filter, ...apiOrder(search), limit: size }} />
        </span>
        <Button kind="go" icon="plus" unable={unable('runs:write')} onClick={() => openStartRun({})}>
          Start run
        </Button>
      </Bar>
      <main className={style.main}>
        <FilterBar search={search} zone={zone} onChange={change}>
          {list.rows && (
            <span aria-live="polite">
              <AllMenu total={list.total} filter={list.asked} onBulk={onFitting} onExport={exportFitting} />
            </span>
          )}
          <span aria-hidden>·</span>
          <OrderMenu search={search} onChange={change} />
          <span aria-hidden>·</span>
          <span>{zone}</span>
        </FilterBar>
        <CountsStrip search={search} filter={list.filter} zone={zone} onChange={change} />
        <div ref={table} className={classes(style.scroll, list.isLoadingOther && style.old)}>
          {list.rows === undefined && !list.error && <Skeleton rows={12} what="runs" />}
          {list.rows === undefined && list.error !== null && <Failed error={list.error} onRetry={list.retry} />}
          {list.rows && rows.length === 0 && !list.isLoadingOther && (
            <NoRuns
              isFiltered={filterNames.some((name) => search[name] !== undefined) || page > 1}
              onClear={() => change(Object.fromEntries(filterNames.map((name) => [name, undefined])))}
            />
          )}
          {rows.length > 0 && (
            <RunsTable
              rows={rows}
              search={search}
              zone={zone}
              selection={selection}
              offer={<Offer list={list} onShow={show} />}
            />
          )}
        </div>
        {selection.ids.size > 0 && <SelectionBar selection={selection} onBulk={onSelected} onExport={exportSelected} />}
        <FootBar
          page={page}
          size={size}
          shown={rows.length}
          total={list.total}
          keys={shownKeys}
          linkTo={(to) => ({
            to: '/runs',
            search: { ...search, page: to === 1 ? undefined : to } as RunsSearch,
          })}
          onSize={(next) => void navigate({ search: (before) => ({ ...before, size: next, page: undefined }) })}
        />
      </main>
      <Suspense>
        {bulk && (
          <BulkRuns
            action={bulk.action}
            over={
              bulk.isSelection
                ? {
                    ids: [...selection.ids],
                    known: rows.map(({ run }) => run).filter(({ id }) => selection.ids.has(id)),
                  }
                : { filter: list.asked, search, zone }
            }
            onClose={() => setBulk(undefined)}
            onBegun={() => {
              if (bulk.isSelection) selection.clear()
              setBulk(undefined)
            }}
          />
        )}
      </Suspense>
      <Suspense>{stopping && <StopRun run={stopping} onClose={() => setStopping(undefined)} />}</Suspense>
    </>
  )
}

/** "3 new runs, show": what came since the list was opened. */
function Offer({ list, onShow }: { list: RunList; onShow: () => void }) {
  const says = list.newer > 0 ? counted(list.newer, 'new run') : list.hasChanged ? 'The list has changed' : undefined
  if (says === undefined) return null
  return (
    <tr className={style.offer}>
      <td colSpan={9}>
        <button type="button" aria-live="polite" onClick={onShow}>
          <Icon name="up" size={14} />
          {says}, show
        </button>
      </td>
    </tr>
  )
}
