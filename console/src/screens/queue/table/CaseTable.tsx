// The cases as a table: sorted as the API can, page by page. What is being read does not move: a page that has changed is offered.
import type { Case } from '@runyard/sdk'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { useSession } from '../../../app/session.tsx'
import { classes } from '../../../look/classes.ts'
import { Icon } from '../../../look/Icon.tsx'
import { count, counted } from '../../../parts/amounts.ts'
import { Button } from '../../../parts/Button.tsx'
import { Holder, Labels } from '../../../parts/case/CaseFacts.tsx'
import { CaseMenu } from '../../../parts/case/CaseMenu.tsx'
import { CaseStatus } from '../../../parts/case/CaseStatus.tsx'
import { FootBar } from '../../../parts/FootBar.tsx'
import { SelectAll } from '../../../parts/SelectAll.tsx'
import { Empty, Failed, Skeleton } from '../../../parts/states.tsx'
import table from '../../../parts/Table.module.css'
import { Tag } from '../../../parts/Tag.tsx'
import { Time } from '../../../parts/Time.tsx'
import { useSelection, type Selection } from '../../../parts/useSelection.ts'
import { visible } from '../../../parts/visibleText.ts'
import { caseListQuery } from '../../../queries/queues.ts'
import { caseOrder } from '../apiFilter.ts'
import { bulkIcons, bulkKinds, bulkVerbs } from '../bulk/kinds.ts'
import type { CasesViewProps } from '../Cases.tsx'
import { nothingChosen } from '../FilterBar.tsx'
import screen from '../QueueScreen.module.css'
import { filterNames, viewFilterOf, type QueueSearch } from '../search.ts'
import { useCaseKeys } from '../useCaseKeys.ts'
import { useChoice } from '../useChoice.ts'
import style from './CaseTable.module.css'

const route = getRouteApi('/frame/queues/$queueId')

const shownKeys = [
  { keys: ['j', 'k'], says: 'move' },
  { keys: ['Enter'], says: 'open' },
  { keys: ['x'], says: 'select' },
  { keys: ['e'], says: 'claim' },
  { keys: ['?'], says: 'all keys' },
]

export function CaseTable({ queue, search, zone, onChange, onAdd, moving, onBulk }: CasesViewProps) {
  const navigate = route.useNavigate()
  const { unable } = useSession()
  const choice = useChoice(search, zone)
  const { size = 25 } = search
  const page = Math.max(1, search.page ?? 1)
  const input = { ...choice, ...caseOrder(search), limit: size, offset: (page - 1) * size }
  const list = useQuery({ ...caseListQuery(queue.id, input), placeholderData: keepPreviousData })
  const isOther = list.isPlaceholderData
  const steady = useSteady(JSON.stringify(input), isOther ? undefined : list.data?.cases)
  const ids = steady.rows.map(({ id }) => id)
  const selection = useSelection(JSON.stringify(viewFilterOf(queue.id, search)), ids)
  const place = useRef<HTMLDivElement>(null)
  useCaseKeys({ place, moving, selection })
  const isFiltered = filterNames.some((name) => search[name] !== undefined) || page > 1
  return (
    <>
      <div ref={place} className={classes(screen.scroll, isOther && screen.old)}>
        {!list.data && !list.error && <Skeleton rows={12} what="cases" />}
        {!list.data && list.error && <Failed error={list.error} onRetry={() => void list.refetch()} />}
        {list.data && steady.rows.length === 0 && !isOther && (
          <NoCases
            isFiltered={isFiltered}
            queueId={queue.id}
            cannot={unable('queues:write')}
            onClear={() => onChange(nothingChosen)}
            onAdd={onAdd}
          />
        )}
        {steady.rows.length > 0 && (
          <table className={classes(table.table, style.table)} aria-label="Cases">
            <thead>
              <tr>
                <th scope="col" className={style.check}>
                  <SelectAll ids={ids} selection={selection} what="cases" />
                </th>
                <th scope="col">Status</th>
                <th scope="col">Case</th>
                <th scope="col">Priority</th>
                <th scope="col">Held by</th>
                <th scope="col" className={table.number}>
                  Attempts
                </th>
                <Head sort="created_at" search={search} queueId={queue.id}>
                  Made
                </Head>
                <Head sort="updated_at" search={search} queueId={queue.id}>
                  Changed
                </Head>
                <Head sort="postponed_to" search={search} queueId={queue.id}>
                  Postponed to
                </Head>
                <th scope="col">
                  <span className="forReaders">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {steady.hasChanged && (
                <tr className={style.offer}>
                  <td colSpan={10}>
                    <button type="button" aria-live="polite" onClick={steady.show}>
                      <Icon name="up" size={14} />
                      The list has changed, show
                    </button>
                  </td>
                </tr>
              )}
              {steady.rows.map((item) => (
                <Row
                  key={item.id}
                  item={item}
                  selection={selection}
                  hasLeft={steady.left.has(item.id)}
                  moving={moving}
                />
              ))}
            </tbody>
          </table>
        )}
      </div>
      {selection.ids.size > 0 && (
        <section className={style.selected} aria-label="Selected cases">
          <span aria-live="polite">{counted(selection.ids.size, 'case')} selected</span>
          {bulkKinds.map((kind) => (
            <Button
              key={kind}
              icon={bulkIcons[kind]}
              unable={unable('queues:write')}
              onClick={() => onBulk(kind, { ids: [...selection.ids] }, selection.clear)}
            >
              {selectedVerbs[kind]}
            </Button>
          ))}
          <Button kind="quiet" icon="cross" onClick={selection.clear}>
            Clear
          </Button>
        </section>
      )}
      <FootBar
        page={page}
        size={size}
        shown={steady.rows.length}
        total={list.data?.total ?? 0}
        keys={shownKeys}
        linkTo={(to) => ({
          to: '/queues/$queueId',
          params: { queueId: queue.id },
          search: { ...search, page: to === 1 ? undefined : to } as QueueSearch,
        })}
        onSize={(next) => void navigate({ search: (before) => ({ ...before, size: next, page: undefined }) })}
      />
    </>
  )
}

const selectedVerbs = { ...bulkVerbs, reprocess: 'Work again…', priority: 'Priority…', delete: 'Delete…' }

interface RowProps {
  item: Case
  selection: Selection
  hasLeft: boolean
  moving: CasesViewProps['moving']
}

function Row({ item, selection, hasLeft, moving }: RowProps) {
  const isSelected = selection.ids.has(item.id)
  return (
    <tr data-case={item.id} className={classes(isSelected && table.chosen, moving.movedId === item.id && style.moving)}>
      <td className={style.check}>
        <input
          type="checkbox"
          aria-label={`Select “${visible(item.title)}”`}
          checked={isSelected}
          onChange={() => {}}
          onClick={(event) => selection.toggle(item.id, !isSelected, event.shiftKey)}
        />
      </td>
      <td className={style.status}>
        <CaseStatus status={item.display_status} />
      </td>
      <td className={style.title}>
        <span className={style.titleLine}>
          <Link to="/cases/$caseId" params={{ caseId: item.id }} title={visible(item.title)}>
            {visible(item.title)}
          </Link>
          <Labels labels={item.labels} most={3} />
          {hasLeft && <Tag title="It changed since this list was opened.">moved</Tag>}
        </span>
      </td>
      <td className={style.priority}>{item.priority === 'none' ? '' : item.priority}</td>
      <td className={style.holder}>
        <Holder item={item} />
      </td>
      <td className={classes(table.number, style.attempts)}>{count(item.attempts)}</td>
      <td className={style.time}>
        <Time at={item.created_at} />
      </td>
      <td className={classes(style.time, style.changed)}>
        <Time at={item.updated_at} />
      </td>
      <td className={classes(style.time, style.postponed)}>{item.postponed_to && <Time at={item.postponed_to} />}</td>
      <td className={table.acts}>
        <CaseMenu item={item} onMove={moving.begin} />
      </td>
    </tr>
  )
}

interface HeadProps {
  sort: NonNullable<QueueSearch['sort_by']>
  search: QueueSearch
  queueId: string
  children: string
}

function Head({ sort, search, queueId, children }: HeadProps) {
  const isSorted = (search.sort_by ?? 'created_at') === sort
  const isUp = isSorted && search.sort_order === 'asc'
  return (
    <th scope="col" className={style.time} aria-sort={isSorted ? (isUp ? 'ascending' : 'descending') : 'none'}>
      <Link
        className={classes(style.sort, isSorted && style.sorted)}
        to="/queues/$queueId"
        params={{ queueId }}
        search={
          { ...search, sort_by: sort, sort_order: isSorted && !isUp ? 'asc' : 'desc', page: undefined } as QueueSearch
        }
        title={isSorted && !isUp ? 'Oldest first' : 'Newest first'}
      >
        {children}
        {isSorted && <Icon name={isUp ? 'up' : 'arrowDown'} size={12} />}
      </Link>
    </th>
  )
}

/** Keeps the rows of a page where they are: what changed of them shows, and new ones are offered. */
function useSteady(key: string, found: Case[] | undefined) {
  const [kept, setKept] = useState<{ key: string; rows: Case[] }>()
  const isNew = found !== undefined && (kept?.key !== key || kept.rows.length === 0)
  if (isNew && kept?.rows !== found) setKept({ key, rows: found })
  const base = (isNew ? found : kept?.rows) ?? []
  const fresh = new Map(found?.map((item) => [item.id, item]))
  const isKnown = new Set(base.map(({ id }) => id))
  return {
    rows: base.map((item) => fresh.get(item.id) ?? item),
    left: new Set(found === undefined ? [] : base.filter(({ id }) => !fresh.has(id)).map(({ id }) => id)),
    hasChanged:
      found !== undefined && (found.some(({ id }) => !isKnown.has(id)) || base.some(({ id }) => !fresh.has(id))),
    show: () => setKept(undefined),
  }
}

interface NoCasesProps {
  isFiltered: boolean
  queueId: string
  cannot: string | undefined
  onClear: () => void
  onAdd: () => void
}

function NoCases({ isFiltered, queueId, cannot, onClear, onAdd }: NoCasesProps) {
  if (isFiltered)
    return (
      <Empty icon="filter" title="No case fits these filters" action={<Button onClick={onClear}>Clear filters</Button>}>
        There may be some with other words, another status or an earlier time.
      </Empty>
    )
  return (
    <Empty
      icon="queues"
      title="No case yet"
      command={`runyard cases import cases.csv --queue ${queueId}`}
      action={
        <Button kind="go" icon="plus" unable={cannot} onClick={onAdd}>
          Add case
        </Button>
      }
    >
      A case is one piece of work for an agent or a person. Add one, or drop a CSV or NDJSON file here: each row becomes
      a case.
    </Empty>
  )
}
